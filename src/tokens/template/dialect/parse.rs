//! Jinja2's expression grammar (its parser's precedence, one function a level).

use super::expr::{Argument, Expr};
use super::token::Token;

/// How deeply expressions may nest; real templates stay below 20.
const MAX_DEPTH: usize = 64;

/// A cursor over a tag's tokens.
pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

type Parsed<T = Expr> = Result<T, String>;

impl<'t> Parser<'t> {
    /// A cursor at the first token.
    pub(super) fn new(tokens: &'t [Token]) -> Self {
        Self { tokens, at: 0, depth: 0 }
    }

    /// The next token.
    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn peek_at(&self, ahead: usize) -> Option<&'t Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.peek(), Some(Token::Operator(found)) if *found == operator)
    }

    fn is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(found)) if found == name)
    }

    /// Takes the operator when it comes next.
    pub(super) fn skip(&mut self, operator: &str) -> bool {
        let found = self.is_operator(operator);
        self.at += usize::from(found);
        found
    }

    /// Takes the word when it comes next.
    pub(super) fn skip_name(&mut self, name: &str) -> bool {
        let found = self.is_name(name);
        self.at += usize::from(found);
        found
    }

    /// Takes the operator.
    pub(super) fn expect(&mut self, operator: &str) -> Parsed<()> {
        if self.skip(operator) { Ok(()) } else { Err(self.unexpected(&format!("'{operator}'"))) }
    }

    /// Takes an identifier.
    pub(super) fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// Fails unless all tokens were taken.
    pub(super) fn end(&self) -> Parsed<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.unexpected("the end of the tag")) }
    }

    /// The message for a token that does not fit.
    pub(super) fn unexpected(&self, expected: &str) -> String {
        match self.peek() {
            None => format!("the tag ends where {expected} is expected"),
            Some(Token::Name(name)) => format!("found '{name}', expected {expected}"),
            Some(Token::Text(text)) => format!("found the text {text:?}, expected {expected}"),
            Some(Token::Number(number)) => format!("found {number}, expected {expected}"),
            Some(Token::Operator(operator)) => format!("found '{operator}', expected {expected}"),
        }
    }

    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed {
        self.nested(|parser| {
            let mut value = parser.or()?;
            while parser.skip_name("if") {
                let test = parser.or()?;
                let other = if parser.skip_name("else") {
                    Some(Box::new(parser.expression()?))
                } else {
                    None
                };
                value = Expr::Condition(Box::new(test), Box::new(value), other);
            }
            Ok(value)
        })
    }

    /// An expression without `if`, as `for … in` takes it.
    pub(super) fn unconditional(&mut self) -> Parsed {
        self.comma_separated(Self::or)
    }

    /// Expressions joined by commas: a tuple when there is a comma.
    pub(super) fn tuple(&mut self) -> Parsed {
        self.comma_separated(Self::expression)
    }

    fn comma_separated(&mut self, item: impl Fn(&mut Self) -> Parsed) -> Parsed {
        let first = item(self)?;
        if !self.is_operator(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.skip(",") {
            if self.peek().is_none() || self.is_operator(")") || self.is_name("recursive") {
                break;
            }
            items.push(item(self)?);
        }
        Ok(Expr::Tuple(items))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expressions nest deeper than {MAX_DEPTH} levels"));
        }
        let value = parse(self);
        self.depth -= 1;
        value
    }

    fn or(&mut self) -> Parsed {
        let mut value = self.and()?;
        while self.skip_name("or") {
            value = Expr::Binary("or", Box::new(value), Box::new(self.and()?));
        }
        Ok(value)
    }

    fn and(&mut self) -> Parsed {
        let mut value = self.not()?;
        while self.skip_name("and") {
            value = Expr::Binary("and", Box::new(value), Box::new(self.not()?));
        }
        Ok(value)
    }

    fn not(&mut self) -> Parsed {
        if self.skip_name("not") {
            return self.nested(|parser| Ok(Expr::Unary("not", Box::new(parser.not()?))));
        }
        self.compare()
    }

    fn compare(&mut self) -> Parsed {
        let value = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let operator = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|op| self.skip(op));
            let operator = if operator.is_some() {
                operator
            } else if self.skip_name("in") {
                Some("in")
            } else if self.is_name("not")
                && matches!(self.peek_at(1), Some(Token::Name(name)) if name == "in")
            {
                self.at += 2;
                Some("not in")
            } else {
                None
            };
            let Some(operator) = operator else { break };
            rest.push((operator, self.sum()?));
        }
        Ok(if rest.is_empty() { value } else { Expr::Compare(Box::new(value), rest) })
    }

    fn binary(&mut self, operators: &[&'static str], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let mut value = operand(self)?;
        while let Some(operator) = operators.iter().find(|operator| self.skip(operator)) {
            value = Expr::Binary(operator, Box::new(value), Box::new(operand(self)?));
        }
        Ok(value)
    }

    fn sum(&mut self) -> Parsed {
        self.binary(&["+", "-"], Self::concat)
    }

    fn concat(&mut self) -> Parsed {
        let mut items = vec![self.product()?];
        while self.skip("~") {
            items.push(self.product()?);
        }
        match items.len() {
            1 => Ok(items.remove(0)),
            _ => Ok(Expr::Concat(items)),
        }
    }

    fn product(&mut self) -> Parsed {
        self.binary(&["*", "//", "/", "%"], Self::power)
    }

    fn power(&mut self) -> Parsed {
        self.binary(&["**"], |parser| parser.unary(true))
    }

    fn unary(&mut self, with_filter: bool) -> Parsed {
        let sign = ["-", "+"].into_iter().find(|sign| self.skip(sign));
        let value = match sign {
            Some(sign) => {
                self.nested(|parser| Ok(Expr::Unary(sign, Box::new(parser.unary(false)?))))?
            }
            None => self.primary()?,
        };
        let value = self.postfix(value)?;
        if with_filter { self.filters(value) } else { Ok(value) }
    }

    fn primary(&mut self) -> Parsed {
        let token = self.peek().ok_or_else(|| self.unexpected("an expression"))?;
        self.at += 1;
        match token {
            Token::Name(name) => Ok(match name.as_str() {
                "true" | "True" => Expr::Literal("true".to_owned()),
                "false" | "False" => Expr::Literal("false".to_owned()),
                "none" | "None" => Expr::Literal("none".to_owned()),
                _ => Expr::Name(name.clone()),
            }),
            Token::Number(number) => Ok(Expr::Literal(number.clone())),
            Token::Text(text) => {
                let mut text = text.clone();
                while let Some(Token::Text(more)) = self.peek() {
                    text.push_str(more);
                    self.at += 1;
                }
                Ok(Expr::Text(text))
            }
            Token::Operator("(") => self.nested(Self::parenthesis),
            Token::Operator("[") => {
                let items = self.nested(|parser| parser.items("]", Self::expression))?;
                Ok(Expr::List(items))
            }
            Token::Operator("{") => {
                let pairs = self.nested(|parser| {
                    parser.items("}", |parser| {
                        let key = parser.expression()?;
                        parser.expect(":")?;
                        Ok((key, parser.expression()?))
                    })
                })?;
                Ok(Expr::Dict(pairs))
            }
            Token::Operator(_) => {
                self.at -= 1;
                Err(self.unexpected("an expression"))
            }
        }
    }

    fn parenthesis(&mut self) -> Parsed {
        if self.skip(")") {
            return Ok(Expr::Tuple(Vec::new()));
        }
        let value = self.tuple()?;
        self.expect(")")?;
        Ok(value)
    }

    fn items<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.skip(close) {
            if !items.is_empty() {
                self.expect(",")?;
                if self.skip(close) {
                    break;
                }
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn postfix(&mut self, mut value: Expr) -> Parsed {
        loop {
            if self.skip(".") {
                value = match self.peek() {
                    Some(Token::Number(number)) => {
                        self.at += 1;
                        Expr::Item(Box::new(value), Box::new(Expr::Literal(number.clone())))
                    }
                    _ => Expr::Attribute(Box::new(value), self.name()?),
                };
            } else if self.skip("[") {
                value = self.nested(|parser| parser.subscript(value))?;
            } else if self.skip("(") {
                let arguments = self.nested(Self::arguments)?;
                value = Expr::Call(Box::new(value), arguments);
            } else {
                return Ok(value);
            }
        }
    }

    fn subscript(&mut self, value: Expr) -> Parsed {
        let value = Box::new(value);
        let mut parts: [Option<Box<Expr>>; 3] = [None, None, None];
        let mut colons = 0;
        loop {
            if self.skip("]") {
                break;
            }
            if self.skip(":") {
                colons += 1;
                if colons > 2 {
                    return Err("a slice has at most three parts".to_owned());
                }
                continue;
            }
            if parts[colons].is_some() {
                return Err(self.unexpected("']'"));
            }
            let part = self.expression()?;
            if colons == 0 && self.is_operator(",") {
                let mut items = vec![part];
                while self.skip(",") {
                    items.push(self.expression()?);
                }
                self.expect("]")?;
                return Ok(Expr::Item(value, Box::new(Expr::Tuple(items))));
            }
            parts[colons] = Some(Box::new(part));
        }
        if colons > 0 {
            return Ok(Expr::Slice(value, parts));
        }
        let [index, ..] = parts;
        index
            .map(|index| Expr::Item(value, index))
            .ok_or_else(|| "an empty subscript: expected an index".to_owned())
    }

    /// Arguments, behind the opening parenthesis.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.items(")", |parser| {
            if parser.skip("**") {
                return Ok(Argument::DoubleStar(parser.expression()?));
            }
            if parser.skip("*") {
                return Ok(Argument::Star(parser.expression()?));
            }
            if matches!(parser.peek(), Some(Token::Name(_)))
                && parser.peek_at(1) == Some(&Token::Operator("="))
            {
                let name = parser.name()?;
                parser.expect("=")?;
                return Ok(Argument::Keyword(name, parser.expression()?));
            }
            Ok(Argument::Positional(parser.expression()?))
        })
    }

    /// Filters, tests and calls behind an operand.
    fn filters(&mut self, mut value: Expr) -> Parsed {
        loop {
            if self.skip("|") {
                let (name, arguments) = self.filter()?;
                value = Expr::Filter(Some(Box::new(value)), name, arguments);
            } else if self.is_name("is") {
                self.at += 1;
                value = self.test(value)?;
            } else if self.skip("(") {
                let arguments = self.nested(Self::arguments)?;
                value = Expr::Call(Box::new(value), arguments);
            } else {
                return Ok(value);
            }
        }
    }

    /// `name(…)` behind a `|`.
    pub(super) fn filter(&mut self) -> Parsed<(String, Vec<Argument>)> {
        let mut name = self.name()?;
        while self.skip(".") {
            name = format!("{name}.{}", self.name()?);
        }
        let arguments = if self.skip("(") { self.nested(Self::arguments)? } else { Vec::new() };
        Ok((name, arguments))
    }

    fn test(&mut self, value: Expr) -> Parsed {
        let negated = self.skip_name("not");
        let mut name = self.name()?;
        while self.skip(".") {
            name = format!("{name}.{}", self.name()?);
        }
        let arguments = if self.skip("(") {
            self.nested(Self::arguments)?
        } else if self.starts_operand() {
            if self.is_name("is") {
                return Err("tests cannot be chained with 'is'".to_owned());
            }
            let operand = self.primary()?;
            vec![Argument::Positional(self.postfix(operand)?)]
        } else {
            Vec::new()
        };
        let test = Expr::Test(Box::new(value), name, arguments);
        Ok(if negated { Expr::Unary("not", Box::new(test)) } else { test })
    }

    /// Whether a test's argument without parentheses follows.
    fn starts_operand(&self) -> bool {
        match self.peek() {
            Some(Token::Name(name)) => !matches!(name.as_str(), "else" | "or" | "and"),
            Some(Token::Text(_) | Token::Number(_)) => true,
            Some(Token::Operator(operator)) => matches!(*operator, "[" | "{"),
            None => false,
        }
    }
}
