//! What the shop's systems answer: JSON of about a given size.

use super::super::voice::Voice;
use super::rules::RULES;
use super::tools::Returns;
use crate::wire::json::push_string;
use std::fmt::Write as _;

/// A result of about `bytes` bytes, JSON.
pub(super) fn record(returns: Returns, voice: &mut Voice, bytes: usize) -> String {
    if voice.draw.percent(4) {
        return voice.text(
            "{\"error\": {\"code\": \"«adj»_«noun»\", \"message\": \"the «noun» did not answer within «nn» ms\", \"retry_after_ms\": «nn»}}",
        );
    }
    let (head, entry, tail) = match returns {
        Returns::Order => (
            "{\"order_id\": \"«order»\", \"email\": \"«mail»\", \"name\": \"«customer»\", \"state\": \"«state»\", \"placed\": \"«date»T«time»\", \"ship_to\": {\"street\": \"Storgata «nn»\", \"city\": \"«city»\"}, \"parcel_id\": \"«parcel»\", \"carrier\": \"«carrier»\", \"lines\": [",
            "{\"line\": «k», \"sku\": \"«SKU»\", \"name\": \"«product», «colour»\", \"qty\": «n», \"price_eur\": «eur», \"weight_g\": «big», \"returnable_until\": \"«date»\"}",
            "], \"total_eur\": «eur», \"promised\": \"«date»\"}",
        ),
        Returns::Scans => (
            "{\"parcel_id\": \"«parcel»\", \"carrier\": \"«carrier»\", \"now\": \"«date»T«time»\", \"expected\": \"«date»\", \"scans\": [",
            "{\"at\": \"«date»T«time»\", \"place\": \"«city»\", \"code\": \"«SKU»\", \"text\": \"«scan»\"}",
            "]}",
        ),
        Returns::Paragraphs => ("{\"query_ms\": «nn», \"paragraphs\": [", "", "]}"),
        Returns::Stock => (
            "{\"currency\": \"EUR\", \"matches\": [",
            "{\"sku\": \"«SKU»\", \"name\": \"«product»\", \"colour\": \"«colour»\", \"price\": «eur», \"stock\": {\"TRD\": «nn», \"RTM\": «n»}, \"next_delivery\": \"«date»\", \"rating\": \"«n».«n»\"}",
            "]}",
        ),
        Returns::Payments => (
            "{\"order_id\": \"«order»\", \"payments\": [",
            "{\"id\": \"pay_«hex12»\", \"kind\": \"«payment»\", \"amount_eur\": «eur», \"at\": \"«date»T«time»\", \"method\": \"card ****«nn»\", \"reference\": \"«hex7»\"}",
            "], \"balance_eur\": 0.00}",
        ),
        Returns::Customer => (
            "{\"email\": \"«mail»\", \"name\": \"«customer»\", \"since\": \"«date»\", \"points\": «nn», \"consent\": {\"newsletter\": true, \"sms\": false}, \"orders\": [",
            "{\"order_id\": \"FK-«big»\", \"placed\": \"«date»\", \"state\": \"«state»\", \"total_eur\": «eur», \"city\": \"«city»\"}",
            "]}",
        ),
        Returns::Receipt => (
            "{\"ok\": true, \"reference\": \"«SKU»-«hex7»\", \"at\": \"«date»T«time»\", \"sent_to\": \"«mail»\", \"log\": [",
            "{\"step\": «k», \"system\": \"«noun»-«n»\", \"result\": \"«state»\", \"ms\": «nn», \"trace\": \"«hex12»\"}",
            "]}",
        ),
    };
    let mut out = String::new();
    fill(&mut out, voice, head, 0);
    let mut k = 0;
    loop {
        k += 1;
        if k > 1 {
            out.push_str(", ");
        }
        if returns == Returns::Paragraphs {
            paragraph(&mut out, voice);
        } else {
            fill(&mut out, voice, entry, k);
        }
        if out.len() + 80 >= bytes {
            break;
        }
    }
    fill(&mut out, voice, tail, 0);
    out
}

fn paragraph(out: &mut String, voice: &mut Voice) {
    let text = voice.draw.pick(RULES);
    let (number, score) = (voice.draw.range(1, 90), voice.draw.range(10, 99));
    let text = voice.text(text);
    let mut json = Vec::new();
    push_string(&mut json, &text);
    let json = String::from_utf8(json).unwrap_or_default();
    let _ = write!(out, "{{\"rule\": {number}, \"score\": 0.{score}, \"text\": {json}}}");
}

/// Fills a template whose slots are the voice's and a few that only records have.
fn fill(out: &mut String, voice: &mut Voice, template: &str, k: u64) {
    const STATES: &[&str] =
        &["placed", "packing", "shipped", "delivered", "returned", "cancelled", "on_hold"];
    const SCANS: &[&str] = &[
        "Sorted",
        "Picked up",
        "In transit",
        "Held by customs",
        "Delivery attempted, nobody at home",
        "Out for delivery",
        "Delivered to a neighbour",
        "Address unclear",
        "Delayed by weather",
    ];
    const PAYMENTS: &[&str] = &["reservation", "capture", "refund", "chargeback", "release"];
    let mut rest = template;
    while let Some(at) = rest.find('«') {
        let (before, slot) = rest.split_at(at);
        out.push_str(before);
        let end = slot.find('»').map_or(slot.len(), |end| end + '»'.len_utf8());
        let (slot, behind) = slot.split_at(end);
        match slot {
            "«k»" => out.push_str(&k.to_string()),
            "«state»" => out.push_str(voice.draw.pick(STATES)),
            "«scan»" => out.push_str(voice.draw.pick(SCANS)),
            "«payment»" => out.push_str(voice.draw.pick(PAYMENTS)),
            "«SKU»" => {
                for _ in 0..3 {
                    let letter = voice.draw.pick(b"ABCDEFGHKLMNPRSTUVWXYZ");
                    out.push(char::from(letter));
                }
                let _ = write!(out, "-{}", voice.draw.range(100, 9999));
            }
            _ => voice.say(out, slot),
        }
        rest = behind;
    }
    out.push_str(rest);
}
