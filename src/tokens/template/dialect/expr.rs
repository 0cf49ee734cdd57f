//! Jinja2's expressions.

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// A number, or `true`, `false`, `none`.
    Literal(String),
    /// A text.
    Text(String),
    /// A variable.
    Name(String),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `{a: b}`.
    Dict(Vec<(Expr, Expr)>),
    /// `not a`, `-a`, `+a`.
    Unary(&'static str, Box<Expr>),
    /// An arithmetic or logical operation of two operands.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a ~ b ~ c`.
    Concat(Vec<Expr>),
    /// `a < b <= c`.
    Compare(Box<Expr>, Vec<(&'static str, Expr)>),
    /// `a if test else b`: test, a, b.
    Condition(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `a.b`.
    Attribute(Box<Expr>, String),
    /// `a[b]`.
    Item(Box<Expr>, Box<Expr>),
    /// `a[b:c:d]`.
    Slice(Box<Expr>, [Option<Box<Expr>>; 3]),
    /// `a(…)`.
    Call(Box<Expr>, Vec<Argument>),
    /// `a|name(…)`; without operand in `{% filter %}` and `{% set %}` blocks.
    Filter(Option<Box<Expr>>, String, Vec<Argument>),
    /// `a is name(…)`.
    Test(Box<Expr>, String, Vec<Argument>),
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    /// `a`.
    Positional(Expr),
    /// `name=a`.
    Keyword(String, Expr),
    /// `*a`.
    Star(Expr),
    /// `**a`.
    DoubleStar(Expr),
}

impl Argument {
    /// The argument's expression.
    pub(super) fn value(&self) -> &Expr {
        match self {
            Self::Positional(value)
            | Self::Keyword(_, value)
            | Self::Star(value)
            | Self::DoubleStar(value) => value,
        }
    }
}

impl Expr {
    /// Whether the expression reads no variable, so that it means the same everywhere.
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Self::Literal(_) | Self::Text(_) => true,
            Self::List(items) | Self::Tuple(items) => items.iter().all(Self::is_constant),
            Self::Dict(pairs) => {
                pairs.iter().all(|(key, value)| key.is_constant() && value.is_constant())
            }
            Self::Unary(_, operand) => operand.is_constant(),
            _ => false,
        }
    }
}
