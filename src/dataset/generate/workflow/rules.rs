//! The business rules and the intents.

use super::super::draw::Draw;
use super::super::voice::{Case, Voice};
use std::fmt::Write as _;

/// What a customer may want: code, meaning, and the tools that serve it.
pub(super) struct Intent {
    pub(super) code: &'static str,
    meaning: &'static str,
    pub(super) tools: &'static [&'static str],
}

const fn intent(
    code: &'static str,
    meaning: &'static str,
    tools: &'static [&'static str],
) -> Intent {
    Intent { code, meaning, tools }
}

#[rustfmt::skip]
pub(super) const INTENTS: [Intent; 28] = [
    intent("I001", "order status", &["get_order", "track_parcel"]),
    intent("I002", "parcel late", &["get_order", "track_parcel", "open_carrier_case"]),
    intent("I003", "parcel lost", &["track_parcel", "open_carrier_case", "create_replacement"]),
    intent("I004", "wrong item", &["get_order", "create_return", "create_replacement"]),
    intent("I005", "damaged item", &["get_order", "create_replacement", "refund"]),
    intent("I006", "faulty item after use, warranty", &["get_order", "search_policy", "create_return"]),
    intent("I007", "return, changed mind", &["get_order", "search_policy", "create_return"]),
    intent("I008", "exchange for another size or colour", &["check_stock", "create_return"]),
    intent("I009", "refund not received", &["get_order", "get_payments", "refund"]),
    intent("I010", "charged twice or a wrong amount", &["get_payments", "refund"]),
    intent("I011", "invoice or receipt", &["get_order", "send_document"]),
    intent("I012", "change of delivery address", &["get_order", "change_address"]),
    intent("I013", "change of delivery date", &["get_order", "track_parcel"]),
    intent("I014", "cancellation of an order", &["get_order", "cancel_order"]),
    intent("I015", "change of lines of an order", &["get_order", "check_stock", "update_order"]),
    intent("I016", "stock of a product", &["check_stock"]),
    intent("I017", "advice on a product, fit, material", &["check_stock", "search_policy"]),
    intent("I018", "price match or discount", &["search_policy", "apply_voucher"]),
    intent("I019", "voucher or gift card does not work", &["apply_voucher", "search_policy"]),
    intent("I020", "loyalty points", &["get_customer"]),
    intent("I021", "account access, password", &["get_customer", "send_document"]),
    intent("I022", "deletion or copy of personal data", &["escalate"]),
    intent("I023", "newsletter and consent", &["get_customer", "update_consent"]),
    intent("I024", "question about policy", &["search_policy"]),
    intent("I025", "complaint, wants a human", &["escalate"]),
    intent("I026", "injury, legal threat, press", &["escalate"]),
    intent("I027", "thanks, goodbye", &["search_policy"]),
    intent("I028", "out of scope or identity not proven", &["get_customer"]),
];

/// Rules as the prompt and the policy search quote them.
pub(super) const RULES: &[&str] = &[
    "Before anything about an order is told or changed, compare the e-mail address given with the one on the order; after «n» failed attempts answer with intent I028 and stop.",
    "Orders above «eur» EUR that ship to «city» or outside the EU need a signature; «carrier» does not leave such parcels with neighbours.",
    "Returns are accepted within «days» days of delivery if the item is unused and in resaleable packing; the «product» is excluded once its seal is broken.",
    "Return shipping is free where we are at fault (wrong, damaged, faulty); otherwise «eur» EUR are taken off the refund.",
    "You may refund up to «eur» EUR per order by yourself. Above that call `escalate` with queue `refunds`, the order number and the amount.",
    "A parcel of «carrier» without a scan for «n» days counts as late, after 1«n» days as lost. For lost parcels offer a replacement first, then a refund.",
    "Address changes are possible while the state is `placed` or `packing`. From `shipped` on, point to the redirect page of «carrier» and give the parcel number.",
    "Vouchers cannot be combined, not even with loyalty points, except campaign «noun»-«nn», which ends on «date».",
    "The «product» in «colour» is sold out until «date»; offer «colour» or the «product» instead, never a pre-order.",
    "Price match applies to identical items in stock at shops in the same country, up to «days» %, once per customer and quarter.",
    "Warranty is «days» months; seams, zips and coating count as wear after «n» months of normal use. Ask for photos before you promise anything.",
    "Delivery times: «city» «n» days, «city» «n» days, islands and the far north «days» days; in November add «n».",
    "Gift cards expire after «days» months; extend once by «n» months if the customer asks within «days» days of expiry.",
    "Never name internal systems, other customers, margins, or the names of colleagues. Say \"a colleague\" instead.",
    "If a customer writes in a language other than English, answer in that language; codes, order numbers and product names stay as they are.",
    "Do not apologise more than once per conversation for the same matter, and never admit fault for injuries.",
    "Invoices are sent to the address on the order only. Changes of the billing name are possible until «days» days after the order, by `send_document` with kind `corrected_invoice`.",
    "Loyalty: 1 point for each full EUR after returns, «nn» points are worth «n» EUR; points of cancelled orders vanish within «days» hours.",
    "A replacement is shipped the same day if ordered before «time» and in stock (`check_stock`, warehouse `TRD`), else the next working day.",
    "For payments that appear twice, check `get_payments` first: a reservation that is not captured vanishes after «n» to «days» days and needs no refund.",
    "Batteries and stoves may not be returned by air; create the return with carrier «carrier» and tell the customer that it takes up to «days» days.",
    "Escalations between «time» and «time» are answered the next working day; say so, and do not promise a call.",
];

const SECTIONS: [&str; 8] = [
    "Identity and privacy",
    "Orders and changes",
    "Shipping and carriers",
    "Returns and exchanges",
    "Refunds and payments",
    "Products and stock",
    "Vouchers, loyalty, gift cards",
    "Tone and escalation",
];

/// The system prompt of all conversations of a set.
pub(super) fn system(seed: u64) -> String {
    let mut voice = Voice::new(Draw::new(seed, "business rules"), Case::Snake);
    let mut out = String::from(
        "You are the first-line support agent of Fjellkiosk, a web shop for outdoor gear that ships from Trondheim to all of Europe. \
You answer by chat, in the customer's language, in at most five sentences, and you act only through the tools.\n\n\
Every answer ends with one line `intent: Innn`, the code of what the customer wants now. If two things are wanted, name the one that you act on first.\n\n# Intents\n",
    );
    for intent in &INTENTS {
        let _ = writeln!(
            out,
            "{} {} (usually: {})",
            intent.code,
            intent.meaning,
            intent.tools.join(", ")
        );
    }
    let mut number = 0;
    for section in SECTIONS {
        let _ = writeln!(out, "\n# {section}");
        for _ in 0..voice.draw.range(8, 11) {
            number += 1;
            let _ = write!(out, "{number}. ");
            voice.say_one(&mut out, RULES);
            out.push('\n');
        }
    }
    out
}
