//! Decoding of standard base64, as ranks files use it.

/// The bytes of a padded base64 text; none when it is malformed.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let mut bits = 0_u32;
    let mut count = 0;
    for &digit in digits {
        bits = (bits << 6) | u32::from(value(digit)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes() {
        assert_eq!(decode(b"IQ=="), Some(b"!".to_vec()));
        assert_eq!(decode(b"aGVsbG8="), Some(b"hello".to_vec()));
        assert_eq!(decode(b"////"), Some(vec![0xff; 3]));
        assert_eq!(decode(b""), Some(Vec::new()));
        assert_eq!(decode(b"a"), None);
        assert_eq!(decode(b"a*=="), None);
    }
}
