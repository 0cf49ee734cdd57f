//! Rewriting statements, tag by tag.

use std::fmt::Write as _;

use super::emit::{self, Emitter};
use super::expr::Expr;
use super::parse::Parser;
use super::scan::{self, Part, Raw, Tag};
use super::token::Token;
use crate::tokens::error::TemplateError;

/// Filters that make safe texts, which `+` treats apart.
const MARKUP: [&str; 5] = ["safe", "e", "escape", "forceescape", "xmlattr"];

/// The minijinja source of a Jinja2 template.
///
/// # Errors
/// Broken grammar inside a tag, with its line.
pub(in crate::tokens::template) fn rewrite(source: &str) -> Result<String, TemplateError> {
    // Jinja2 reads every kind of line end as `\n`.
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let syntax = |(line, message)| TemplateError::Syntax { line, message };
    let parts = scan::parts(&source).map_err(syntax)?;
    let emitter = Emitter { markup: parts.iter().any(makes_markup) };
    let mut out = String::with_capacity(source.len() * 2);
    for part in &parts {
        match part {
            Part::Verbatim(text) => out.push_str(text),
            Part::Raw(raw) => write_raw(&mut out, raw),
            Part::Variable(tag) => {
                let value =
                    whole(&tag.tokens, Parser::tuple).map_err(|error| syntax((tag.line, error)))?;
                wrap(&mut out, tag, ["{{", "}}"], &emitter.expression(&value));
            }
            Part::Block(tag) => {
                let statement = Statement { emitter, tag };
                let body = statement.rewrite().map_err(|error| syntax((tag.line, error)))?;
                match body {
                    Some(body) => wrap(&mut out, tag, ["{%", "%}"], &body),
                    None => out.push_str(tag.source),
                }
            }
        }
    }
    Ok(out)
}

fn makes_markup(part: &Part<'_>) -> bool {
    let (Part::Variable(tag) | Part::Block(tag)) = part else { return false };
    tag.tokens.windows(2).any(|pair| {
        pair[0] == Token::Operator("|")
            && matches!(&pair[1], Token::Name(name) if MARKUP.contains(&name.as_str()))
    })
}

/// Parses all of `tokens`.
fn whole<'t>(
    tokens: &'t [Token],
    parse: impl FnOnce(&mut Parser<'t>) -> Result<Expr, String>,
) -> Result<Expr, String> {
    let mut parser = Parser::new(tokens);
    let value = parse(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// Writes a tag around `body`, with as many line ends as the original had, so that line numbers
/// in messages stay right.
fn wrap(out: &mut String, tag: &Tag<'_>, [open, close]: [&str; 2], body: &str) {
    out.push_str(open);
    out.push_str(tag.open);
    out.push(' ');
    out.push_str(body);
    out.push(' ');
    let lines = tag.source.bytes().filter(|byte| *byte == b'\n').count();
    out.extend(std::iter::repeat_n('\n', lines));
    out.push_str(tag.close);
    out.push_str(close);
}

/// Writes a raw block as a condition around a text, since minijinja trims raw blocks otherwise.
fn write_raw(out: &mut String, raw: &Raw<'_>) {
    let _ = write!(out, "{{%{} if true +%}}{{{{", raw.open);
    emit::write_text(out, raw.text);
    let lines = raw.source.bytes().filter(|byte| *byte == b'\n').count();
    out.extend(std::iter::repeat_n('\n', lines));
    let _ = write!(out, "}}}}{{%+ endif {}%}}", raw.close);
}

/// One block tag.
#[derive(Clone, Copy)]
struct Statement<'a, 's> {
    emitter: Emitter,
    tag: &'a Tag<'s>,
}

type Rewritten = Result<Option<String>, String>;

impl Statement<'_, '_> {
    /// The tag's new inside; none where it stays as it is.
    fn rewrite(self) -> Rewritten {
        let Some(Token::Name(keyword)) = self.tag.tokens.first() else {
            return Err("a statement begins with a word".to_owned());
        };
        let mut parser = Parser::new(&self.tag.tokens[1..]);
        let body = match keyword.as_str() {
            "if" | "elif" => format!("{keyword} {}", self.rest(&mut parser)?),
            "for" => self.for_loop(&mut parser)?,
            "set" => self.set(&mut parser)?,
            "macro" => self.macro_start(&mut parser)?,
            "call" => self.call(&mut parser)?,
            "filter" => self.filter(&mut parser)?,
            "with" => self.with(&mut parser)?,
            // transformers marks the assistant's tokens with it; for the text it is a scope.
            "generation" => "with".to_owned(),
            "endgeneration" => "endwith".to_owned(),
            "raw" | "endraw" => return Err(format!("Encountered unknown tag '{keyword}'.")),
            // Without inheritance a block is a scope.
            "block" => {
                parser.name()?;
                while parser.skip_name("scoped") || parser.skip_name("required") {}
                "with".to_owned()
            }
            "endblock" => {
                if parser.peek().is_some() {
                    parser.name()?;
                }
                "endwith".to_owned()
            }
            // What is set inside stays inside.
            "endset" | "endfilter" => format!("endwith %}}{{% {keyword}"),
            _ => return Ok(None),
        };
        parser.end()?;
        Ok(Some(body))
    }

    fn rest(self, parser: &mut Parser<'_>) -> Result<String, String> {
        Ok(self.emitter.expression(&parser.tuple()?))
    }

    fn for_loop(self, parser: &mut Parser<'_>) -> Result<String, String> {
        let target = target(parser)?;
        if !parser.skip_name("in") {
            return Err(parser.unexpected("'in'"));
        }
        let mut body = format!(
            "for {target} in __loop({})",
            self.emitter.expression(&parser.unconditional()?)
        );
        if parser.skip_name("if") {
            body.push_str(" if ");
            body.push_str(&self.emitter.expression(&parser.expression()?));
        }
        if parser.skip_name("recursive") {
            body.push_str(" recursive");
        }
        Ok(body)
    }

    fn set(self, parser: &mut Parser<'_>) -> Result<String, String> {
        let target = target(parser)?;
        if parser.skip("=") {
            return Ok(format!("set {target} = {}", self.rest(parser)?));
        }
        let mut body = format!("set {target}");
        self.filter_chain(parser, &mut body)?;
        Ok(body + " %}{% with")
    }

    fn filter_chain(self, parser: &mut Parser<'_>, body: &mut String) -> Result<(), String> {
        while parser.skip("|") {
            let (name, arguments) = parser.filter()?;
            body.push(' ');
            body.push_str(&self.emitter.expression(&Expr::Filter(None, name, arguments)));
        }
        Ok(())
    }

    fn filter(self, parser: &mut Parser<'_>) -> Result<String, String> {
        let (name, arguments) = parser.filter()?;
        let first = self.emitter.expression(&Expr::Filter(None, name, arguments));
        let mut body = format!("filter {}", first.trim_start_matches('|'));
        self.filter_chain(parser, &mut body)?;
        Ok(body + " %}{% with")
    }

    fn with(self, parser: &mut Parser<'_>) -> Result<String, String> {
        let mut assignments = Vec::new();
        while parser.peek().is_some() {
            let target = target(parser)?;
            parser.expect("=")?;
            let value = self.emitter.expression(&parser.expression()?);
            assignments.push(format!("{target} = {value}"));
            if !parser.skip(",") {
                break;
            }
        }
        Ok(format!("with {}", assignments.join(", ")))
    }

    /// Parameters behind an opening parenthesis. Jinja2 computes defaults inside the macro, where
    /// earlier parameters are known; such defaults become assignments behind the tag.
    fn parameters(self, parser: &mut Parser<'_>) -> Result<(String, String), String> {
        let mut parameters = Vec::new();
        let mut late = String::new();
        let mut optional = false;
        while !parser.skip(")") {
            if !parameters.is_empty() {
                parser.expect(",")?;
                if parser.skip(")") {
                    break;
                }
            }
            let name = parser.name()?;
            if !parser.skip("=") {
                if optional {
                    return Err(format!("the parameter '{name}' without default follows one with"));
                }
                parameters.push(name);
                continue;
            }
            optional = true;
            let default = parser.expression()?;
            let value = self.emitter.expression(&default);
            if default.is_constant() {
                parameters.push(format!("{name}={value}"));
            } else {
                let _ = write!(
                    late,
                    "%}}{{% set {name} = ({value} if ({name} is sameas(__unset)) else {name}) "
                );
                parameters.push(format!("{name}=__unset"));
            }
        }
        Ok((parameters.join(","), late))
    }

    fn macro_start(self, parser: &mut Parser<'_>) -> Result<String, String> {
        let name = parser.name()?;
        parser.expect("(")?;
        let (parameters, late) = self.parameters(parser)?;
        Ok(format!("macro {name}({parameters}) {late}"))
    }

    fn call(self, parser: &mut Parser<'_>) -> Result<String, String> {
        let (parameters, late) = if parser.skip("(") {
            let (parameters, late) = self.parameters(parser)?;
            (format!("({parameters})"), late)
        } else {
            (String::new(), String::new())
        };
        let call = parser.expression()?;
        if !matches!(call, Expr::Call(..)) {
            return Err("a call block needs a call, as in {% call name() %}".to_owned());
        }
        Ok(format!("call{parameters} {} {late}", self.emitter.expression(&call)))
    }
}

/// An assignment target: names, `a.b`, or tuples of them, as written.
fn target(parser: &mut Parser<'_>) -> Result<String, String> {
    let mut items = vec![target_item(parser)?];
    let mut tuple = false;
    while parser.skip(",") {
        tuple = true;
        match parser.peek() {
            Some(Token::Name(name)) if name != "in" => items.push(target_item(parser)?),
            Some(Token::Operator("(")) => items.push(target_item(parser)?),
            _ => break,
        }
    }
    Ok(if tuple { format!("({},)", items.join(",")) } else { items.remove(0) })
}

fn target_item(parser: &mut Parser<'_>) -> Result<String, String> {
    if parser.skip("(") {
        let inner = target(parser)?;
        parser.expect(")")?;
        return Ok(inner);
    }
    let mut name = parser.name()?;
    while parser.skip(".") {
        name = format!("{name}.{}", parser.name()?);
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    fn shown(source: &str) -> String {
        rewrite(source).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn rewrites_what_differs_and_nothing_else() {
        insta::assert_snapshot!(shown("a {#- {{ x }} #} b {%- raw %}{{ x }}{% endraw -%} c"), @r#"a {#- {{ x }} #} b {%- if true +%}{{"{{ x }}"}}{%+ endif -%} c"#);
        insta::assert_snapshot!(shown("{{- a.b['c'] | f(1, k=2) ~ -x ** 2 -}}"), @r#"{{- __cat((a.b["c"]|f(1,k=2)),((0-x) ** 2)) -}}"#);
        insta::assert_snapshot!(shown("{% if 1 < x <= 3 and 'a' % b or not c is string %}"), @r#"{% if ((__compare(1,"<",x,"<=",3) and __mod("a",b)) or (not (c is string))) %}"#);
        insta::assert_snapshot!(shown("{% for k, (a, b) in d.items() if k recursive -%}"), @"{% for (k,(a,b,),) in __loop(d.items()) if k recursive -%}");
        insta::assert_snapshot!(shown("{{ d.items is defined }}{{ d['items'] }}{{ l[1:][::-1] }}{{ l.0 }}"), @r#"{{ (__attr(d,"items") is defined) }}{{ __item(d,"items") }}{{ __slice(__slice(l,1,none,none),none,none,(- 1)) }}{{ __index(l,0) }}"#);
        insta::assert_snapshot!(shown("{%- macro m(a, b=a, c='x') -%}"), @r#"{%- macro m(a,b=__unset,c="x") %}{% set b = (a if (b is sameas(__unset)) else b)  -%}"#);
        insta::assert_snapshot!(shown("{% set ns.a = 1, 2 %}{% set x | upper %}{% generation %}{% endgeneration %}"), @"{% set ns.a = (1,2) %}{% set x |upper %}{% with %}{% with %}{% endwith %}");
        insta::assert_snapshot!(shown("{{ (x|safe) + y }}"), @"{{ __add((x|safe),y) }}");
        insta::assert_snapshot!(shown("{{\n a\n}}b"), @"
        {{ a 

        }}b
        ");
    }

    #[test]
    fn errors_have_lines() {
        insta::assert_snapshot!(shown("a\n{{ 1 + }}"), @"line 2: the tag ends where an expression is expected");
        insta::assert_snapshot!(shown("{% for x of y %}"), @"line 1: found 'of', expected 'in'");
        insta::assert_snapshot!(shown("{{ x is string is number }}"), @"line 1: tests cannot be chained with 'is'");
        insta::assert_snapshot!(shown("{# never"), @"line 1: the comment does not end");
        insta::assert_snapshot!(shown("{{ (a }}"), @"line 1: unexpected '}', expected ')'");
        let deep = format!("{{{{ {}1{} }}}}", "(".repeat(100), ")".repeat(100));
        insta::assert_snapshot!(shown(&deep), @"line 1: expressions nest deeper than 64 levels");
    }
}
