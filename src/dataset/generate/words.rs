//! Words that names, sentences and identifiers are made of.
//!
//! All nouns have a regular plural and all verbs end in `ed` and `ing` without a doubled letter, so
//! that next to no grammar is needed.

#[rustfmt::skip]
pub(super) const NOUNS: &[&str] = &[
    "account", "adapter", "agent", "alias", "anchor", "archive", "argument", "artifact", "asset", "backend",
    "backup", "balance", "bandwidth", "batch", "beacon", "block", "bookmark", "border", "branch", "bridge",
    "budget", "buffer", "bundle", "cache", "calendar", "callback", "canvas", "carrier", "catalog", "certificate",
    "channel", "chapter", "checkpoint", "chunk", "client", "cluster", "codec", "collector", "column", "command",
    "commit", "compiler", "component", "connection", "constraint", "container", "contract", "cookie", "counter", "cursor",
    "customer", "daemon", "dataset", "deadline", "decoder", "delta", "device", "dialect", "digest", "dispatcher",
    "document", "domain", "driver", "edge", "editor", "element", "encoder", "endpoint", "engine", "envelope",
    "event", "exporter", "expression", "extension", "field", "filter", "fixture", "folder", "formula", "fragment",
    "frame", "gateway", "glyph", "graph", "grid", "group", "guard", "handler", "header", "histogram",
    "hook", "identifier", "image", "importer", "index", "instance", "interval", "invoice", "iterator", "journal",
    "kernel", "label", "lattice", "layer", "layout", "lease", "ledger", "lexer", "limit", "listener",
    "locale", "lookup", "manifest", "marker", "matrix", "measure", "member", "message", "metric", "migration",
    "mirror", "module", "monitor", "namespace", "node", "notification", "offset", "operator", "option", "order",
    "packet", "page", "palette", "parameter", "parcel", "parser", "partition", "patch", "payload", "payment",
    "peer", "permission", "pipeline", "pixel", "planner", "plugin", "pointer", "polygon", "pool", "prefix",
    "preset", "printer", "probe", "profile", "projection", "prompt", "proxy", "quota", "range", "record",
    "reducer", "region", "registry", "relay", "release", "renderer", "replica", "report", "request", "resolver",
    "resource", "response", "result", "revision", "router", "sample", "scanner", "schedule", "schema", "scope",
    "section", "segment", "selector", "sensor", "serializer", "session", "shader", "shard", "signal", "snapshot",
    "socket", "stack", "station", "stream", "subscription", "suffix", "symbol", "table", "template", "tenant",
    "threshold", "ticket", "timeline", "timer", "token", "topic", "tracker", "transform", "trigger", "tuple",
    "unit", "update", "vector", "vertex", "viewer", "volume", "voucher", "watcher", "widget", "worker",
];

#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "accept", "adjust", "align", "append", "assign", "balance", "cache", "calculate", "check", "clone",
    "collect", "combine", "compare", "compile", "compute", "convert", "create", "decode", "delete", "detect",
    "divide", "drain", "encode", "enforce", "escape", "estimate", "evaluate", "expand", "export", "extract",
    "filter", "fold", "fetch", "gather", "generate", "group", "handle", "hydrate", "import", "inspect",
    "install", "invalidate", "iterate", "join", "limit", "load", "lock", "measure", "merge", "migrate",
    "move", "narrow", "normalize", "observe", "order", "pack", "parse", "persist", "prepare", "process",
    "prune", "publish", "reconcile", "record", "redact", "reduce", "reject", "release", "reload", "render",
    "replace", "report", "request", "resize", "resolve", "restore", "restrict", "return", "rotate", "sample",
    "scale", "schedule", "select", "serialize", "settle", "sort", "splice", "store", "subscribe", "sync",
    "tokenize", "track", "translate", "traverse", "unpack", "update", "upload", "validate", "visit", "yield",
];

#[rustfmt::skip]
pub(super) const ADJECTIVES: &[&str] = &[
    "active", "aggregate", "ambiguous", "ancient", "atomic", "blank", "bounded", "broken", "cached", "canonical",
    "cheap", "closed", "compact", "composite", "current", "cyclic", "default", "deferred", "dense", "direct",
    "dirty", "duplicate", "empty", "exact", "expired", "explicit", "external", "fallback", "final", "first",
    "fresh", "global", "hidden", "idle", "implicit", "inner", "internal", "invalid", "last", "lazy",
    "legacy", "local", "locked", "lossy", "missing", "mutable", "naive", "nested", "nullable", "open",
    "optional", "orphaned", "outer", "outdated", "parallel", "partial", "pending", "pinned", "primary", "private",
    "public", "raw", "recent", "recursive", "relative", "remote", "resolved", "safe", "secondary", "shared",
    "signed", "single", "sorted", "sparse", "stable", "stale", "static", "strict", "temporary", "trailing",
    "transient", "trusted", "unique", "unread", "unsigned", "unused", "upstream", "valid", "virtual", "weighted",
];

#[rustfmt::skip]
pub(super) const SUFFIXES: &[&str] = &[
    "Reader", "Writer", "Store", "Index", "Policy", "Registry", "Builder", "Config", "Error", "State",
    "Context", "Manager", "Queue", "Map", "Set", "View", "Visitor", "Entry", "Spec", "Plan",
];

/// Given names with and without letters outside ASCII.
#[rustfmt::skip]
pub(super) const PEOPLE: &[&str] = &[
    "Ada Lindqvist", "Aisha Bello", "Åsa Nyström", "Bao Nguyễn", "Camille Roussel", "Chidi Okafor", "Dagmar Vogt", "Diego Peña", "Elif Şahin", "Emma Clarke",
    "Fatima Zahra", "Finn O'Leary", "Giulia Conti", "Hana Kovářová", "Henrik Sørensen", "Ines Duarte", "Ivan Petrov", "Jana Müller", "João Antunes", "Kaito Mori",
    "Katarzyna Wójcik", "Kim Jisoo", "Lars Bakke", "Leila Haddad", "Liam Murphy", "Lucía Ferrer", "Maja Novak", "Marek Dvořák", "Mei Chen", "Nadia Rahman",
    "Noor van Dijk", "Oskar Lehtonen", "Pia Gruber", "Priya Raman", "Rafael Costa", "Sanne de Vries", "Sora Tanaka", "Tomás Rivas", "Wei Zhang", "Zoë Martin",
];

#[rustfmt::skip]
pub(super) const CITIES: &[&str] = &[
    "Aarhus", "Bergen", "Bilbao", "Bordeaux", "Brno", "Cádiz", "Córdoba", "Dublin", "Genève", "Göteborg",
    "Gdańsk", "Graz", "Hamburg", "Helsinki", "İzmir", "Kraków", "Köln", "Leeds", "Liège", "Lisboa",
    "Lyon", "Malmö", "München", "Nantes", "Oslo", "Plzeň", "Porto", "Reykjavík", "Rotterdam", "Sevilla",
    "Tallinn", "Tromsø", "Torino", "Utrecht", "Vilnius", "Warszawa", "Zürich", "大阪", "東京", "서울",
];

/// Text that is not ASCII, as it turns up in tests, logs and user data.
#[rustfmt::skip]
pub(super) const UNICODE: &[&str] = &[
    "naïve café", "Zürich–Genève", "東京都港区", "データ処理", "中文字符", "简体与繁體", "Привет, мир", "Καλημέρα", "שלום", "مرحبا",
    "한국어 텍스트", "ไทย", "Đà Nẵng", "łódź", "smörgåsbord", "\u{201c}curly quotes\u{201d}", "€ 1.299,00", "½ ≤ x < ¾", "α → β ⇒ γ", "✓ ✗ ⚠",
    "🎉", "👩🏽‍💻", "🇳🇴", "e\u{301} vs é", "ﬁle", "x² + y²", "5 µs", "−40 °C", "…", "☃",
];

/// Third-party packages, all of them invented.
#[rustfmt::skip]
pub(super) const PACKAGES: &[&str] = &[
    "fastgrid", "httplane", "jsonlake", "loopkit", "microlog", "nightjar", "ormolu-db", "pathwise", "quickmatch", "ringbuf-lite",
    "schemata", "taskweave", "tinyhash", "treewalk", "unitful", "vecmath", "wirefmt", "xtable", "yamlish", "zonedata",
];

/// Names of repositories, all of them invented.
#[rustfmt::skip]
pub(super) const REPOSITORIES: &[&str] = &[
    "tidewright", "copperleaf", "lanternfish", "gridloom", "parceltrack", "quillbase", "saltmarsh", "northbeam", "ferrocopy", "mapletable",
    "opencrate", "driftwood", "stonebridge", "pebblecache", "harborline", "inkwell", "juniper-query", "kestrel-io", "larkspur", "mosaicdb",
    "nimbusfs", "orchard-ci", "pinecone-lint", "riverbed", "slatequeue", "thimble", "umbra-render", "violet-auth", "wickerbot", "yarrow-etl",
];
