//! The survey as one HTML page that needs nothing else.

use std::fmt::Write as _;

use super::histogram::histogram;
use super::survey::{File, Group, Survey};
use super::text::{answers, facts, number};
use crate::dataset::Spread;
use crate::units::bytes;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2433;background:#fff}
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:.95rem;margin:1.2rem 0 .3rem}
table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.n td+td,.n th+th{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(26rem,1fr));gap:0 2rem}
svg{width:100%;height:auto}text{font-size:11px;fill:currentColor}rect{fill:#3b6fb5}
.note{color:#5b6475;font-size:.85rem}
@media(prefers-color-scheme:dark){body{color:#dde3ee;background:#151922}rect{fill:#7aa7e0}.note{color:#98a2b5}}";

impl Survey {
    /// The page.
    pub fn html(&self, file: &File) -> String {
        let title = escaped(&file.path.display().to_string());
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{title}</title>\n<style>\n{STYLE}\n</style>\n<h1>{title}</h1>\n"
        );
        let mut rows = facts(&file.facts);
        rows.push(("tokens", self.method().to_owned()));
        pairs(&mut out, &rows);
        self.sharing_html(&mut out);
        self.kv_html(&mut out);
        for (name, group) in self.groups() {
            group_html(&mut out, name, group);
        }
        out.push_str("</html>\n");
        out
    }

    fn sharing_html(&self, out: &mut String) {
        out.push_str(
            "<h2>Prompt tokens of a pass, as a perfect prefix cache would see them</h2>\n\
             <table class=\"n\"><tr><th></th><th>all</th><th>inside</th><th>across</th><th>to prefill</th></tr>\n",
        );
        for (name, reuse) in
            [("salted", &self.sharing.salted), ("unsalted", &self.sharing.unsalted)]
        {
            let cells = [
                reuse.prompt_tokens,
                reuse.within_trajectories,
                reuse.across_trajectories,
                reuse.to_prefill(),
            ];
            let cells = cells.map(|n| format!("<td>{}</td>", number(n))).concat();
            let _ = writeln!(out, "<tr><td>{name}</td>{cells}</tr>");
        }
        out.push_str(
            "</table>\n<p class=\"note\">Inside: like the prompt before in the same trajectory; across: \
             further, like an earlier trajectory. Salted, a further pass needs the same again; unsalted, \
             it needs nothing.</p>\n",
        );
    }

    fn kv_html(&self, out: &mut String) {
        let footprints = self.footprints();
        if footprints.is_empty() {
            return;
        }
        out.push_str(
            "<h2>KV cache of the active conversations, nothing shared</h2>\n<table class=\"n\">\
             <tr><th>slots</th><th>at average turns</th><th>the largest, at their ends</th></tr>\n",
        );
        for footprint in footprints {
            let show = |tokens: u64, size: Option<u64>| match size {
                Some(size) => format!("{} tokens, {}", number(tokens), bytes(size)),
                None => format!("{} tokens", number(tokens)),
            };
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                footprint.slots,
                show(footprint.mean_tokens, footprint.mean_bytes),
                show(footprint.most_tokens, footprint.most_bytes),
            );
        }
        out.push_str("</table>\n");
    }
}

fn pairs(out: &mut String, rows: &[(&'static str, String)]) {
    out.push_str("<table>\n");
    for (name, value) in rows {
        let _ = writeln!(out, "<tr><th>{name}</th><td>{}</td></tr>", escaped(value));
    }
    out.push_str("</table>\n");
}

fn group_html(out: &mut String, name: &str, group: &Group) {
    let _ = writeln!(out, "<h2>{name}: {} trajectories</h2>", group.statistics.trajectories);
    pairs(out, &answers(group));
    out.push_str("<div class=\"charts\">\n");
    for (name, spread) in Survey::spreads(group) {
        chart(out, name, spread);
    }
    out.push_str("</div>\n");
}

/// A histogram as bars, one below the other.
fn chart(out: &mut String, name: &str, spread: &Spread) {
    const ROW: usize = 18;
    let bins = histogram(spread.numbers());
    let Some(most) = bins.iter().map(|bin| bin.count).max() else { return };
    let quantiles = spread.quantiles();
    let [min, p50, p90, max] =
        [quantiles.min, quantiles.p50, quantiles.p90, quantiles.max].map(number);
    let _ = writeln!(
        out,
        "<div><h3>{name}</h3><p class=\"note\">least {min}, median {p50}, p90 {p90}, most {max}</p>\n\
         <svg viewBox=\"0 0 420 {}\" role=\"img\" aria-label=\"{name}\">",
        bins.len() * ROW
    );
    for (row, bin) in bins.iter().enumerate() {
        let (y, middle) = (row * ROW, row * ROW + 13);
        let width = (bin.count * 210).div_ceil(most);
        let _ = writeln!(
            out,
            "<text x=\"140\" y=\"{middle}\" text-anchor=\"end\">{}–{}</text>\
             <rect x=\"146\" y=\"{}\" width=\"{width}\" height=\"13\"/>\
             <text x=\"{}\" y=\"{middle}\">{}</text>",
            number(bin.from),
            number(bin.to - 1),
            y + 2,
            150 + width,
            number(bin.count),
        );
    }
    out.push_str("</svg></div>\n");
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
