//! Go.

use super::language::{Language, TestStyle};
use crate::dataset::generate::voice::Case;

pub(super) const GO: Language = Language {
    name: "Go",
    extension: "go",
    case: Case::Camel,
    sources: "internal/«pkg»",
    tests: "internal/«pkg»",
    test_suffix: "_test",
    test_style: TestStyle::Go,
    test_command: "go test ./...",
    build_files: &["go.mod", "go.sum", "README.md", "Makefile", ".golangci.yml"],
    head: &["// Package «noun» «verbs» «nouns».\npackage «noun»\n", "package «noun»\n"],
    imports: &[
        "import \"context\"",
        "import \"errors\"",
        "import \"fmt\"",
        "import \"sync\"",
        "import \"time\"",
        "import \"example.org/«dep»/«noun»\"",
        "import «noun» \"example.org/«pkg»/internal/«noun»\"",
    ],
    blocks: &[
        "\n// «type» is a «adj» «noun». «doc»\ntype «type» struct {\n\tmu sync.Mutex\n\t«var» map[string]*«type» // «doc»\n\t«var» int64\n\t«var» []byte `json:\"«noun»,omitempty\"`\n}",
        "\n// «doc»\nfunc (s *«type») «fn»(ctx context.Context, «var» string) (*«type», error) {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\t«body»\n\treturn s.«var»[«var»], nil\n}",
        "\nfunc «fn»(«var» []«type», «var» time.Duration) (n int, err error) {\n\tfor i, «noun» := range «var» {\n\t\t«body»\n\t\tn += i\n\t}\n\treturn n, nil\n}",
        "\nvar Err«Noun» = errors.New(\"«errtext»\")\n\nconst (\n\t«var» = «nn»\n\t«var» = \"«uni»\"\n\t«var» = «big» * time.Millisecond\n)",
    ],
    test_blocks: &[
        "\nfunc Test«Verb»«Noun»(t *testing.T) {\n\tfor _, tc := range []struct {\n\t\tname string\n\t\twant int\n\t}{\n\t\t{\"«noun»\", «nn»},\n\t\t{\"«uni»\", «n»},\n\t\t{\"\", 0},\n\t} {\n\t\tt.Run(tc.name, func(t *testing.T) {\n\t\t\tgot, err := «fn»(tc.name)\n\t\t\tif err != nil || got != tc.want {\n\t\t\t\tt.Fatalf(\"«fn»(%q) = %d, %v; want %d\", tc.name, got, err, tc.want)\n\t\t\t}\n\t\t})\n\t}\n}",
    ],
    statements: &[
        "if err := s.«fn»(ctx, «var»); err != nil {\n\treturn nil, fmt.Errorf(\"«verb» «noun» %q: %w\", «var», err)\n}",
        "if «var» == nil || len(«var») > «nn» {\n\t«body»\n}",
        "for key, «noun» := range s.«var» {\n\t«body»\n}",
        "select {\ncase <-ctx.Done():\n\treturn nil, ctx.Err()\ncase «var» := <-s.«var»:\n\t«body»\n}",
        "go func() {\n\t«body»\n}()",
    ],
    simple: &[
        "«var», ok := s.«var»[«var»]",
        "s.«var» = append(s.«var», «type»{«Noun»: «nn», «Noun»: \"«noun»\"})",
        "«var» := «fn»(«var», «nn»*time.Second)",
        "// «doc»",
        "log.Printf(\"«logtext»: %v\", «var»)",
        "sort.Slice(«var», func(i, j int) bool { return «var»[i].«Noun» < «var»[j].«Noun» })",
        "delete(s.«var», «var»)",
        "«var» += int64(len(«var»)) / «n»",
        "defer span.End()",
    ],
};
