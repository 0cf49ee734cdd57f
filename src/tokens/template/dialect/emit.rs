//! minijinja source of an expression, every operation in parentheses.

use super::expr::{Argument, Expr};
use crate::tokens::template::pytypes;

/// Filters that iterate over their operand, where minijinja takes `none` for an empty list.
const ITERATING: [&str; 8] = ["batch", "first", "join", "last", "list", "reverse", "slice", "sum"];
/// Filters that compare the items of their operand.
const COMPARING: [&str; 5] = ["groupby", "max", "min", "sort", "unique"];
/// Filters whose results can nest deeper than their operands.
const NESTING: [&str; 1] = ["groupby"];

/// How expressions are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitter {
    /// Whether the template makes safe texts (`|safe`, `|e`), so that `+` must mind them.
    pub(super) markup: bool,
}

impl Emitter {
    /// The expression's source.
    pub(super) fn expression(self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write(&mut out, expr);
        out
    }

    fn write(self, out: &mut String, expr: &Expr) {
        match expr {
            Expr::Literal(text) | Expr::Name(text) => out.push_str(text),
            Expr::Text(text) => write_text(out, text),
            Expr::List(_) | Expr::Tuple(_) | Expr::Dict(_) => {
                let constant = expr.is_constant();
                if !constant {
                    out.push_str("__nest(");
                }
                self.container(out, expr);
                if !constant {
                    out.push(')');
                }
            }
            Expr::Unary("+", operand) => self.list(out, "(0+", [&**operand], ")"),
            Expr::Unary("-", operand) if !matches!(**operand, Expr::Literal(_)) => {
                self.list(out, "(0-", [&**operand], ")");
            }
            Expr::Unary(operator, operand) => {
                out.push('(');
                out.push_str(operator);
                out.push(' ');
                self.write(out, operand);
                out.push(')');
            }
            Expr::Binary("%", left, right) => self.function(out, "__mod", [&**left, &**right]),
            Expr::Binary("*", left, right) => self.function(out, "__mul", [&**left, &**right]),
            Expr::Binary("+", left, right) if self.markup || !adds_text(expr) => {
                self.function(out, "__add", [&**left, &**right]);
            }
            Expr::Binary(operator, left, right) => self.infix(out, left, operator, right),
            Expr::Concat(items) => self.function(out, "__cat", items),
            Expr::Compare(first, rest) => self.compare(out, first, rest),
            Expr::Condition(test, value, other) => {
                out.push('(');
                self.write(out, value);
                out.push_str(" if ");
                self.write(out, test);
                if let Some(other) = other {
                    out.push_str(" else ");
                    self.write(out, other);
                }
                out.push(')');
            }
            Expr::Attribute(..) | Expr::Item(..) | Expr::Slice(..) => self.access(out, expr),
            Expr::Call(callee, arguments) => self.call(out, callee, arguments),
            Expr::Filter(operand, name, arguments) => {
                self.filter(out, operand.as_deref(), name, arguments);
            }
            Expr::Test(operand, name, arguments) => self.test(out, operand, name, arguments),
        }
    }

    fn container(self, out: &mut String, expr: &Expr) {
        match expr {
            Expr::List(items) => self.list(out, "[", items, "]"),
            Expr::Tuple(items) if items.len() == 1 => self.list(out, "(", items, ",)"),
            Expr::Tuple(items) => self.list(out, "(", items, ")"),
            Expr::Dict(pairs) => {
                out.push('{');
                for (key, value) in pairs {
                    self.write(out, key);
                    out.push(':');
                    self.write(out, value);
                    out.push(',');
                }
                out.push('}');
            }
            _ => {}
        }
    }

    fn filter(self, out: &mut String, operand: Option<&Expr>, name: &str, arguments: &[Argument]) {
        let nests = operand.is_some() && NESTING.contains(&name);
        if nests {
            out.push_str("__nest");
        }
        if let Some(operand) = operand {
            out.push('(');
            if COMPARING.contains(&name) {
                self.function(out, "__comparable", [operand]);
            } else if ITERATING.contains(&name) {
                self.function(out, "__iter", [operand]);
            } else {
                self.write(out, operand);
            }
        }
        out.push('|');
        out.push_str(name);
        self.optional_arguments(out, arguments);
        if operand.is_some() {
            out.push(')');
        }
    }

    /// Tests that compare become the operation that they name.
    fn test(self, out: &mut String, operand: &Expr, name: &str, arguments: &[Argument]) {
        if let [Argument::Positional(other)] = arguments {
            match name {
                "eq" | "equalto" => return self.function(out, "__eq", [operand, other]),
                "in" => return self.function(out, "__in", [operand, other]),
                _ => {}
            }
        }
        out.push('(');
        self.write(out, operand);
        out.push_str(" is ");
        out.push_str(name);
        self.optional_arguments(out, arguments);
        out.push(')');
    }

    fn list<'e>(
        self,
        out: &mut String,
        open: &str,
        items: impl IntoIterator<Item = impl std::borrow::Borrow<Expr> + 'e>,
        close: &str,
    ) {
        out.push_str(open);
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            self.write(out, item.borrow());
        }
        out.push_str(close);
    }

    fn function<'e>(self, out: &mut String, name: &str, items: impl IntoIterator<Item = &'e Expr>) {
        out.push_str(name);
        out.push('(');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            self.write(out, item);
        }
        out.push(')');
    }

    /// `(left operator right)`; a chain of operations of one precedence shares its parentheses,
    /// so that long sums do not nest.
    fn infix(self, out: &mut String, left: &Expr, operator: &str, right: &Expr) {
        let mut chain = vec![(operator, right)];
        let mut first = left;
        while let Expr::Binary(inner, left, right) = first
            && level(operator) > 0
            && level(inner) == level(operator)
            && *inner != "%"
            && !(*inner == "+" && (self.markup || !adds_text(first)))
        {
            chain.push((inner, right));
            first = left;
        }
        out.push('(');
        self.write(out, first);
        for (operator, right) in chain.into_iter().rev() {
            self.link(out, operator, right);
        }
        out.push(')');
    }

    fn link(self, out: &mut String, operator: &str, right: &Expr) {
        out.push(' ');
        out.push_str(operator);
        out.push(' ');
        self.write(out, right);
    }

    /// Equality means the same in minijinja; membership, orderings and chains are ours.
    fn compare(self, out: &mut String, first: &Expr, rest: &[(&'static str, Expr)]) {
        match rest {
            [(operator @ ("==" | "!="), right)] => {
                return self.equality(out, first, operator, right);
            }
            [("in", right)] => return self.function(out, "__in", [first, right]),
            [("not in", right)] => {
                out.push_str("(not ");
                self.function(out, "__in", [first, right]);
                return out.push(')');
            }
            _ => {}
        }
        out.push_str("__compare(");
        self.write(out, first);
        for (operator, operand) in rest {
            out.push_str(",\"");
            out.push_str(operator);
            out.push_str("\",");
            self.write(out, operand);
        }
        out.push(')');
    }

    /// Comparing with a literal is cheap, whatever the other side is.
    fn equality(self, out: &mut String, left: &Expr, operator: &str, right: &Expr) {
        let scalar = |expr: &Expr| matches!(expr, Expr::Literal(_) | Expr::Text(_));
        if scalar(left) || scalar(right) {
            return self.infix(out, left, operator, right);
        }
        if operator == "!=" {
            out.push_str("(not ");
        }
        self.function(out, "__eq", [left, right]);
        if operator == "!=" {
            out.push(')');
        }
    }

    fn access(self, out: &mut String, expr: &Expr) {
        match expr {
            Expr::Attribute(object, name) if pytypes::is_method(name) || name.starts_with("__") => {
                out.push_str("__attr(");
                self.write(out, object);
                out.push(',');
                write_text(out, name);
                out.push(')');
            }
            Expr::Attribute(object, name) => {
                self.operand(out, object);
                out.push('.');
                out.push_str(name);
            }
            Expr::Item(object, index) => {
                if let Expr::Text(name) = &**index
                    && pytypes::is_method(name)
                {
                    return self.function(out, "__item", [&**object, &**index]);
                }
                if matches!(**index, Expr::Text(_)) {
                    return self.bracketed(out, object, index);
                }
                self.function(out, "__index", [&**object, &**index]);
            }
            Expr::Slice(object, parts) => {
                out.push_str("__slice(");
                self.write(out, object);
                for part in parts {
                    out.push(',');
                    match part {
                        Some(part) => self.write(out, part),
                        None => out.push_str("none"),
                    }
                }
                out.push(')');
            }
            _ => self.write(out, expr),
        }
    }

    fn bracketed(self, out: &mut String, object: &Expr, index: &Expr) {
        self.operand(out, object);
        out.push('[');
        self.write(out, index);
        out.push(']');
    }

    /// An operand in front of a `.`, `[` or `(`.
    fn operand(self, out: &mut String, expr: &Expr) {
        let bare = matches!(
            expr,
            Expr::Name(_) | Expr::Attribute(..) | Expr::Item(..) | Expr::Call(..) | Expr::Slice(..)
        );
        if bare {
            self.write(out, expr);
        } else {
            self.list(out, "(", [expr], ")");
        }
    }

    fn call(self, out: &mut String, callee: &Expr, arguments: &[Argument]) {
        if let Expr::Attribute(object, name) = callee {
            // A method call: minijinja asks our method table before the object's own items.
            self.operand(out, object);
            out.push('.');
            out.push_str(name);
        } else {
            self.operand(out, callee);
        }
        self.arguments(out, arguments);
    }

    fn optional_arguments(self, out: &mut String, arguments: &[Argument]) {
        if !arguments.is_empty() {
            self.arguments(out, arguments);
        }
    }

    fn arguments(self, out: &mut String, arguments: &[Argument]) {
        out.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match argument {
                Argument::Positional(_) => {}
                Argument::Keyword(name, _) => {
                    out.push_str(name);
                    out.push('=');
                }
                Argument::Star(_) => out.push('*'),
                Argument::DoubleStar(_) => out.push_str("**"),
            }
            self.write(out, argument.value());
        }
        out.push(')');
    }
}

/// Whether a sum has a text literal among its terms, so that minijinja adds texts or fails.
/// minijinja joins lists without making them, which nests and grows without end; other sums are
/// ours.
fn adds_text(expr: &Expr) -> bool {
    let mut sum = expr;
    while let Expr::Binary("+", left, right) = sum {
        if matches!(**right, Expr::Text(_)) {
            return true;
        }
        sum = left;
    }
    matches!(sum, Expr::Text(_))
}

/// The precedence of an operator that chains to the left; 0 for one that does not.
fn level(operator: &str) -> u8 {
    match operator {
        "or" => 1,
        "and" => 2,
        "+" | "-" => 3,
        "/" | "//" => 4,
        _ => 0,
    }
}

/// A text literal that minijinja reads back to `text`.
pub(super) fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
}
