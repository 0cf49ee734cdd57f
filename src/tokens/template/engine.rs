//! The minijinja environment that renders like transformers' Jinja2.

use std::time::SystemTime;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value};

use super::{
    dialect, filters, filters_lazy, filters_text, globals, iterators, methods, operators, pytypes,
    strftime, tests_jinja, work,
};
use crate::tokens::error::TemplateError;

/// The work that one rendering may do, in minijinja's fuel: an instruction costs one, 64 bytes
/// cost one. A real template needs some ten thousand for a long conversation.
const FUEL: u64 = 16_000_000;
/// How deep macros, loops and blocks may nest.
const RECURSION: usize = 500;
/// The largest template source.
const MAX_SOURCE: usize = 4 * 1024 * 1024;
/// The name of the only template in an environment.
pub(super) const NAME: &str = "chat";

/// An environment with the template in it.
///
/// # Errors
/// A source that breaks Jinja's grammar.
pub(super) fn environment(
    source: &str,
    now: SystemTime,
) -> Result<Environment<'static>, TemplateError> {
    if source.len() > MAX_SOURCE {
        let message = format!("{} bytes are too many for a template", source.len());
        return Err(TemplateError::Syntax { line: 1, message });
    }
    let source = dialect::rewrite(source)?;
    let mut env = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    env.set_syntax(syntax.map_err(|error| failure(&error))?);
    env.set_fuel(Some(FUEL));
    env.set_recursion_limit(RECURSION);
    env.set_unknown_method_callback(methods::call);
    env.set_formatter(|out, state, value| {
        let escape = !matches!(state.auto_escape(), minijinja::AutoEscape::None);
        let written = match value.as_str() {
            Some(text) if !escape || value.is_safe() => out.write_str(text),
            Some(text) => out.write_str(&filters_text::escaped(text)),
            None if escape => out.write_str(&filters_text::escaped(&pytypes::to_str(value)?)),
            None => out.write_str(&pytypes::to_str(value)?),
        };
        written.map_err(|_| Error::new(ErrorKind::WriteFailure, "the text is too long"))
    });
    add_functions(&mut env, now);
    add_filters(&mut env);
    env.add_test("sequence", tests_jinja::is_sequence);
    env.add_test("iterable", tests_jinja::is_iterable);
    env.add_test("callable", tests_jinja::is_callable);
    env.add_test("escaped", tests_jinja::is_escaped);
    for name in ["startingwith", "endingwith", "safe"] {
        env.remove_test(name);
    }
    env.add_template_owned(NAME, source).map_err(|error| failure(&error))?;
    Ok(env)
}

fn add_functions(env: &mut Environment<'static>, now: SystemTime) {
    env.add_function("raise_exception", globals::raise_exception);
    env.add_function("strftime_now", move |format: &str| strftime::strftime(now, format));
    env.add_function("dict", globals::dict);
    env.add_function("range", iterators::range);
    env.add_function("namespace", globals::namespace);
    env.add_function("cycler", globals::cycler);
    env.add_function("joiner", globals::joiner);
    env.remove_global("debug");
    env.add_function("__mod", operators::modulo);
    env.add_function("__add", operators::add);
    env.add_function("__cat", operators::concat);
    env.add_function("__in", operators::is_in);
    env.add_function("__eq", operators::equal);
    env.add_function("__mul", operators::multiply);
    env.add_function("__nest", work::nest);
    env.add_function("__iter", work::iterable);
    env.add_function("__loop", work::looped);
    env.add_function("__comparable", work::comparable);
    env.add_function("__compare", operators::compare);
    env.add_function("__attr", operators::attribute);
    env.add_function("__item", operators::item);
    env.add_function("__index", operators::index);
    env.add_function("__slice", operators::slice);
    env.add_global("__unset", Value::from_object(globals::Unset));
}

fn add_filters(env: &mut Environment<'static>) {
    env.add_filter("map", filters_lazy::map);
    env.add_filter("select", filters_lazy::select);
    env.add_filter("reject", filters_lazy::reject);
    env.add_filter("selectattr", filters_lazy::selectattr);
    env.add_filter("rejectattr", filters_lazy::rejectattr);
    env.add_filter("items", filters_lazy::items);
    env.add_filter("length", filters_lazy::length);
    env.add_filter("count", filters_lazy::length);
    env.add_filter("last", filters_lazy::last);
    env.add_filter("tojson", filters::to_json);
    env.add_filter("join", filters::join);
    env.add_filter("default", filters::default);
    env.add_filter("d", filters::default);
    env.add_filter("round", filters::round);
    env.add_filter("batch", filters::batch);
    env.add_filter("slice", filters::slice);
    env.add_filter("sort", filters::sort);
    env.add_filter("dictsort", filters::dictsort);
    env.add_filter("unique", filters::unique);
    env.add_filter("sum", filters::sum);
    env.add_filter("reverse", filters::reverse);
    env.add_filter("int", filters::int);
    env.add_filter("float", filters::float);
    env.add_filter("attr", filters::attr);
    env.add_filter("trim", filters_text::trim);
    env.add_filter("replace", filters_text::replace);
    env.add_filter("string", filters_text::string);
    env.add_filter("title", filters_text::title);
    env.add_filter("capitalize", filters_text::capitalize);
    env.add_filter("indent", filters_text::indent);
    env.add_filter("truncate", filters_text::truncate);
    env.add_filter("wordcount", filters_text::word_count);
    env.add_filter("center", filters_text::center);
    env.add_filter("format", filters_text::format_filter);
    env.add_filter("escape", filters_text::escape);
    env.add_filter("e", filters_text::escape);
    env.add_filter("forceescape", filters_text::force_escape);
    env.add_filter("urlencode", filters_text::urlencode);
    // Jinja2 does not have these, but for `pprint`, which prints otherwise.
    for name in ["split", "lines", "bool", "chain", "zip", "pprint"] {
        env.remove_filter(name);
    }
}

/// What minijinja's error means to the caller.
pub(super) fn failure(error: &Error) -> TemplateError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = source {
        if let Some(raised) = inner.downcast_ref::<globals::Raised>() {
            return TemplateError::Raised(raised.0.clone());
        }
        if let Some(inner) = inner.downcast_ref::<Error>() {
            if matches!(inner.kind(), ErrorKind::OutOfFuel) {
                return TemplateError::Exhausted(format!("more than {FUEL} steps"));
            }
            if matches!(inner.kind(), ErrorKind::WriteFailure) {
                return TemplateError::Exhausted("its text is too long".to_owned());
            }
        }
        source = inner.source();
    }
    let line = error.line().unwrap_or(0);
    let message = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    if matches!(error.kind(), ErrorKind::SyntaxError) {
        TemplateError::Syntax { line, message: error.detail().unwrap_or("syntax error").to_owned() }
    } else {
        TemplateError::Render { line, message }
    }
}
