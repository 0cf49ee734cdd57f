//! The shop's tools.

use super::super::voice::Voice;
use crate::wire::json::push_string;

/// A parameter: name, JSON type, description, and a template of values.
type Parameter = (&'static str, &'static str, &'static str, &'static str);

pub(super) struct Tool {
    pub(super) name: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
    pub(super) returns: Returns,
}

/// What a tool's result looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    Order,
    Scans,
    Paragraphs,
    Stock,
    Payments,
    Customer,
    Receipt,
}

const ORDER: Parameter = ("order_id", "string", "Order number, such as FK-20418", "«order»");
const PARCEL: Parameter = ("parcel_id", "string", "Parcel number from the order", "«parcel»");
const LINE: Parameter = ("line", "integer", "Line of the order, from 1", "«n»");
const REASON: Parameter =
    ("reason", "string", "Why, in the customer's words", "«product»: «adj» «noun»");

#[rustfmt::skip]
pub(super) const TOOLS: [Tool; 17] = [
    Tool { name: "get_order", description: "Look an order up by its number: lines, state, addresses, parcels.", parameters: &[ORDER], returns: Returns::Order },
    Tool { name: "track_parcel", description: "All scans of a parcel, the newest first, with the carrier's forecast.", parameters: &[PARCEL], returns: Returns::Scans },
    Tool { name: "search_policy", description: "Search the shop's policies; returns the paragraphs that fit best, with their numbers.", parameters: &[("query", "string", "A few words", "«noun» «adj» «product»"), ("limit", "integer", "How many paragraphs", "«n»")], returns: Returns::Paragraphs },
    Tool { name: "check_stock", description: "Price, sizes, colours and stock of an article in every warehouse.", parameters: &[("sku", "string", "Article number, or words from its name", "«product»"), ("colour", "string", "Only this colour", "«colour»")], returns: Returns::Stock },
    Tool { name: "get_payments", description: "Reservations, captures and refunds of an order.", parameters: &[ORDER], returns: Returns::Payments },
    Tool { name: "get_customer", description: "A customer's profile by e-mail address: consent, loyalty points, open orders.", parameters: &[("email", "string", "E-mail address", "«mail»")], returns: Returns::Customer },
    Tool { name: "create_return", description: "Open a return and e-mail the label to the customer.", parameters: &[ORDER, LINE, REASON], returns: Returns::Receipt },
    Tool { name: "create_replacement", description: "Ship a line of an order again, free of charge.", parameters: &[ORDER, LINE], returns: Returns::Receipt },
    Tool { name: "refund", description: "Refund an amount to the means of payment of the order.", parameters: &[ORDER, ("amount_eur", "number", "Amount in EUR, at most what was paid", "«eur»"), REASON], returns: Returns::Receipt },
    Tool { name: "change_address", description: "Change the delivery address of an order that is not shipped.", parameters: &[ORDER, ("street", "string", "Street and number", "Storgata «nn»"), ("city", "string", "City", "«city»")], returns: Returns::Receipt },
    Tool { name: "cancel_order", description: "Cancel an order that is not shipped.", parameters: &[ORDER, REASON], returns: Returns::Receipt },
    Tool { name: "update_order", description: "Change quantity, size or colour of a line.", parameters: &[ORDER, LINE, ("colour", "string", "The new colour", "«colour»"), ("quantity", "integer", "The new quantity", "«n»")], returns: Returns::Order },
    Tool { name: "open_carrier_case", description: "Ask the carrier to look for a parcel.", parameters: &[PARCEL, REASON], returns: Returns::Receipt },
    Tool { name: "apply_voucher", description: "Check a voucher and apply it to an order.", parameters: &[ORDER, ("code", "string", "The voucher's code", "«noun»-«hex7»")], returns: Returns::Receipt },
    Tool { name: "send_document", description: "E-mail an invoice, a receipt, a return label or a password link.", parameters: &[ORDER, ("kind", "string", "invoice, corrected_invoice, receipt, label or password", "invoice")], returns: Returns::Receipt },
    Tool { name: "update_consent", description: "Change what a customer agreed to.", parameters: &[("email", "string", "E-mail address", "«mail»"), ("topic", "string", "newsletter, sms or profiling", "newsletter")], returns: Returns::Customer },
    Tool { name: "escalate", description: "Hand the conversation to a human.", parameters: &[("queue", "string", "refunds, privacy, safety, complaints", "complaints"), ("summary", "string", "What a colleague has to know", "«customer» («mail»): «product», «order», «eur» EUR; «adj» «noun», rule «rule»")], returns: Returns::Receipt },
];

/// The definitions that a request carries, JSON.
pub(super) fn definitions() -> String {
    let mut out = Vec::new();
    for (n, tool) in TOOLS.iter().enumerate() {
        out.extend_from_slice(if n == 0 { b"[" } else { b"," });
        out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
        push_string(&mut out, tool.name);
        out.extend_from_slice(b",\"description\":");
        push_string(&mut out, tool.description);
        out.extend_from_slice(b",\"parameters\":{\"type\":\"object\",\"properties\":{");
        for (n, (name, kind, description, _)) in tool.parameters.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            push_string(&mut out, name);
            out.extend_from_slice(format!(":{{\"type\":\"{kind}\",\"description\":").as_bytes());
            push_string(&mut out, description);
            out.push(b'}');
        }
        let required = tool.parameters.first().map_or("", |(name, ..)| name);
        out.extend_from_slice(format!("}},\"required\":[\"{required}\"]}}}}}}").as_bytes());
    }
    out.push(b']');
    // Only whole strings were written.
    String::from_utf8(out).unwrap_or_default()
}

/// The tool of this name.
pub(super) fn named(name: &str) -> &'static Tool {
    TOOLS.iter().find(|tool| tool.name == name).unwrap_or(&TOOLS[0])
}

/// Arguments of a call, a JSON object's text.
pub(super) fn arguments(tool: &Tool, voice: &mut Voice) -> String {
    let mut out = Vec::new();
    for (n, (name, kind, _, template)) in tool.parameters.iter().enumerate() {
        // All but the first may be left out.
        if n > 0 && voice.draw.percent(15) {
            continue;
        }
        out.extend_from_slice(if n == 0 { b"{" } else { b", " });
        push_string(&mut out, name);
        out.extend_from_slice(b": ");
        let value = voice.text(template);
        if *kind == "string" {
            push_string(&mut out, &value);
        } else {
            out.extend_from_slice(value.as_bytes());
        }
    }
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}
