//! Reading of tiktoken ranks files: one `<base64 bytes> <rank>` a line.

use std::collections::HashMap;

use super::base64;

/// How many tokens a ranks file may have; published ones have up to 250,000.
const MAX_TOKENS: usize = 4_000_000;

/// The ranks of a file's text.
///
/// # Errors
/// A line of another form, a token that stands twice, or a byte that is no token (then some texts
/// could not be encoded); the message names the line.
pub(super) fn parse(file: &[u8]) -> Result<HashMap<Vec<u8>, u32>, String> {
    let mut ranks = HashMap::new();
    for (index, line) in file.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let number = index + 1;
        let (token, rank) = fields(line).ok_or_else(|| {
            let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            format!("line {number} is {shown:?}, expected a base64 token, a space and its rank")
        })?;
        if ranks.insert(token, rank).is_some() {
            return Err(format!("line {number} repeats a token"));
        }
        if ranks.len() > MAX_TOKENS {
            return Err(format!("it has more than {MAX_TOKENS} tokens"));
        }
    }
    let missing: Vec<String> = (0..=u8::MAX)
        .filter(|byte| !ranks.contains_key([*byte].as_slice()))
        .map(|byte| format!("{byte:#04x}"))
        .collect();
    if missing.is_empty() {
        Ok(ranks)
    } else {
        Err(format!("it lacks tokens for {} single bytes ({})", missing.len(), missing[0]))
    }
}

fn fields(line: &[u8]) -> Option<(Vec<u8>, u32)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let token = base64::decode(fields.next()?)?;
    let rank = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    (fields.next().is_none() && !token.is_empty()).then_some((token, rank))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn errors_name_the_line() {
        insta::assert_snapshot!(parse(b"IQ== 0\nnot a rank\n").unwrap_err(), @r#"line 2 is "not a rank", expected a base64 token, a space and its rank"#);
        insta::assert_snapshot!(parse(b"IQ== 0\nIQ== 1\n").unwrap_err(), @"line 2 repeats a token");
        insta::assert_snapshot!(parse(b"IQ== 0\n").unwrap_err(), @"it lacks tokens for 255 single bytes (0x00)");
    }
}
