//! One expression.

use minijinja::value::Serde;
use minijinja::{Environment, Value, filters, tests};

use super::names::known;

/// Longest expression in bytes.
const MAX_LENGTH: usize = 4096;
/// What evaluating may cost, in minijinja's units.
const FUEL: u64 = 100_000;
/// Words by which an expression says that a value may be missing.
const GUARDS: [&str; 3] = ["defined", "undefined", "default"];

/// An expression whose names are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    text: String,
    names: Vec<String>,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It breaks the grammar, or asks for what there is not.
    #[error("`{text}` is no expression: {reason}")]
    Grammar {
        /// The expression.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It says nothing about the point.
    #[error("`{0}` does not depend on the results")]
    Constant(String),
    /// It uses a name that no point has a value for.
    #[error("there is no value `{name}`")]
    Name {
        /// The name.
        name: String,
        /// What to write instead.
        help: String,
    },
}

/// The few filters and tests that make sense for numbers and words.
fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.add_filter("abs", filters::abs);
    environment.add_filter("round", filters::round);
    environment.add_filter("int", filters::int);
    environment.add_filter("float", filters::float);
    environment.add_filter("default", filters::default);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("undefined", tests::is_undefined);
    environment
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// It breaks the grammar, is constant, or uses an unknown name.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let grammar = |reason: String| {
            let shown: String = text.chars().take(80).collect();
            ExpressionError::Grammar { text: shown, reason }
        };
        if text.len() > MAX_LENGTH {
            return Err(grammar(format!("longer than {MAX_LENGTH} bytes")));
        }
        let environment = environment();
        let compiled = environment.compile_expression(text);
        let compiled = compiled.map_err(|error| grammar(detail(&error)))?;
        let mut names: Vec<String> = compiled.undeclared_variables(true).into_iter().collect();
        names.sort();
        if names.is_empty() {
            return Err(ExpressionError::Constant(text.to_owned()));
        }
        for name in &names {
            let name = name.clone();
            known(&name).map_err(|help| ExpressionError::Name { name, help })?;
        }
        let expression = Self { text: text.to_owned(), names };
        // Filters and tests are looked up only when they are reached.
        match expression.eval(&serde_json::json!({})) {
            Err(reason) if reason.contains("unknown") => Err(grammar(reason)),
            _ => Ok(expression),
        }
    }

    /// The expression as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that it uses, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether it says itself what to do without a value.
    pub(super) fn is_guarded(&self) -> bool {
        let mut words = self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.any(|word| GUARDS.contains(&word))
    }

    /// Whether it is true of these values.
    pub(super) fn eval(&self, values: &serde_json::Value) -> Result<bool, String> {
        let environment = environment();
        let compiled = environment.compile_expression(&self.text).map_err(|e| detail(&e))?;
        let mut context = values.clone();
        // A family of which nothing is known is there all the same, so that its parts are missing.
        if let Some(map) = context.as_object_mut() {
            for name in super::names().iter().filter(|name| !name.parts.is_empty()) {
                map.entry(name.name).or_insert_with(|| serde_json::json!({}));
            }
        }
        let value = compiled.eval(Value::from(Serde(&context))).map_err(|e| detail(&e))?;
        Ok(value.is_true())
    }
}

fn detail(error: &minijinja::Error) -> String {
    let kind = error.kind().to_string();
    let Some(detail) = error.detail() else { return kind };
    if kind.starts_with("unknown") { format!("{kind}: {detail}") } else { detail.to_owned() }
}
