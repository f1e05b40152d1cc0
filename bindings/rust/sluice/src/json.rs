//! As much JSON as a host without a JSON library needs: the members of an object, strings read and written. The documents are
//! Sluice's own, or were checked by it: nothing here looks for mistakes in them.

/// The value of a member of an object, as JSON text. `None`: there is no such member, or `object` is no object.
pub fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = object.trim_start().strip_prefix('{')?.trim_start();
    while rest.starts_with('"') {
        let (key, behind) = rest.split_at(value_end(rest));
        let value = behind.trim_start().strip_prefix(':')?.trim_start();
        let (value, behind) = value.split_at(value_end(value));
        if &key[1..key.len() - 1] == name {
            return Some(value);
        }
        rest = behind.trim_start().strip_prefix(',')?.trim_start();
    }
    None
}

/// Reads a string: `"a\n"` with its quotes. `None`: it is another value.
pub fn text(value: &str) -> Option<String> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escaped = rest[at + 1..].chars().next()?;
        rest = &rest[at + 1 + escaped.len_utf8()..];
        match escaped {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let high = unit(rest)?;
                rest = &rest[4..];
                let low = rest.strip_prefix("\\u").and_then(unit).filter(|low| high >> 10 == 0x36 && low >> 10 == 0x37);
                if low.is_some() {
                    rest = &rest[6..];
                }
                let point = low.map_or(high, |low| 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff));
                out.push(char::from_u32(point).unwrap_or('\u{fffd}'));
            }
            other => out.push(other),
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Writes a string, with its quotes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The code unit of four hexadecimal digits.
fn unit(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits.get(..4)?, 16).ok()
}

/// Where the value ends that `text` begins with.
fn value_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if depth == 0 {
                    return (at + 1).min(bytes.len());
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return at + depth, // behind the value, or in front of what closes the object around it
            b'}' | b']' => depth -= 1,
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_behind_whatever_stands_in_front() {
        let object = r#" { "a" : [1, {"b": "]}\""}], "é" :"x" ,"b":-1.5e3,"c":{},"d":null} "#;
        assert_eq!(member(object, "a"), Some(r#"[1, {"b": "]}\""}]"#));
        assert_eq!(member(object, "é"), Some("\"x\""));
        assert_eq!(member(object, "b"), Some("-1.5e3"));
        assert_eq!(member(object, "c"), Some("{}"));
        assert_eq!(member(object, "d"), Some("null"));
        assert_eq!(member(object, "e"), None);
        assert_eq!(member("[1]", "a"), None);
        assert_eq!(member("{}", "a"), None);
    }

    #[test]
    fn what_was_cut_off_is_no_panic() {
        let object = r#"{"a":["\u00e9\\",{"b":1}],"c":"😀"}"#;
        for end in (0..object.len()).filter(|end| object.is_char_boundary(*end)) {
            member(&object[..end], "c").map(text);
            text(&object[..end]);
            text(&object[end..]);
        }
    }

    #[test]
    fn a_string_comes_back_as_it_was() {
        let all: String = ('\0'..'\u{80}').chain("é😀\u{2028}".chars()).collect();
        assert_eq!(text(&quote(&all)), Some(all));
        assert_eq!(text(r#""\ud83d\ude00\u00e9\/\ud83d!""#).as_deref(), Some("😀é/\u{fffd}!"));
        assert_eq!(text("1"), None);
    }
}
