//! TypeScript.

use super::language::{Language, TestStyle};
use crate::dataset::generate::voice::Case;

pub(super) const TYPESCRIPT: Language = Language {
    name: "TypeScript",
    extension: "ts",
    case: Case::Camel,
    sources: "packages/«pkg»/src",
    tests: "packages/«pkg»/test",
    test_suffix: ".test",
    test_style: TestStyle::Vitest,
    test_command: "npx vitest run",
    build_files: &["package.json", "pnpm-lock.yaml", "tsconfig.json", "README.md", ".eslintrc.cjs"],
    head: &["/**\n * «doc»\n */", "// «doc»\n/* eslint-disable no-await-in-loop */"],
    imports: &[
        "import { «type», type «type» } from \"./«noun»\";",
        "import * as «noun» from \"../«noun»\";",
        "import { readFile } from \"node:fs/promises\";",
        "import path from \"node:path\";",
        "import type { «type» } from \"@«pkg»/«noun»\";",
        "import { «fn» } from \"«dep»\";",
        "import { EventEmitter } from \"node:events\";",
    ],
    blocks: &[
        "\n/** «doc» */\nexport interface «type» {\n  readonly «var»: string;\n  «var»?: number;\n  «var»: Record<string, «type»>;\n  /** «doc» */\n  «var»: ReadonlyArray<«type» | null>;\n}",
        "\nexport class «type» extends EventEmitter {\n  private readonly «var» = new Map<string, «type»>();\n  #«var» = «nn»;\n\n  constructor(private readonly «var»: «type», options: Partial<«type»> = {}) {\n    super();\n    «body»\n  }\n\n  async «fn»(«var»: string): Promise<«type» | undefined> {\n    «body»\n    return this.«var».get(«var»);\n  }\n}",
        "\nexport function «fn»(«var»: readonly «type»[], «var» = «nn»): string[] {\n  const result: string[] = [];\n  for (const «noun» of «var») {\n    «body»\n    result.push(`${«noun».«var»}:${«var»}`);\n  }\n  return result;\n}",
        "\nconst «CONST» = {\n  «var»: «nn»,\n  «var»: \"«uni»\",\n  «var»: [«nn», «nn», «nn»],\n} as const;",
        "\nexport const «fn» = async ({ «var», «var» = «nn» }: «type»): Promise<void> => {\n  const response = await fetch(`/api/«nouns»/${«var»}?«noun»=«nn»`);\n  if (!response.ok) {\n    throw new «type»(`«errtext» (${response.status})`);\n  }\n  «body»\n};",
        "\nexport type «type» =\n  | { kind: \"«noun»\"; «var»: number }\n  | { kind: \"«adj»\"; «var»: string; «var»?: boolean }\n  | { kind: \"«verb»\" };",
    ],
    test_blocks: &[
        "\ndescribe(\"«type»\", () => {\n  it(\"«verbs» the «adj» «noun»\", async () => {\n    const «var» = new «type»({ «var»: «nn» });\n    «body»\n    expect(await «var».«fn»(\"«uni»\")).toEqual({ «var»: «nn», «var»: null });\n  });\n});",
        "\ntest.each([\n  [\"«noun»\", «nn»],\n  [\"«uni»\", «n»],\n  [\"\", 0],\n])(\"«fn»(%s)\", (input, expected) => {\n  expect(«fn»(input)).toBe(expected);\n});",
    ],
    statements: &[
        "if («var» === undefined || «var».length > «nn») {\n  «body»\n}",
        "for (const [key, «noun»] of Object.entries(«var»)) {\n  «body»\n}",
        "try {\n  «body»\n} catch (error) {\n  logger.warn(`«logtext»`, { error });\n}",
        "switch («var».kind) {\n  case \"«noun»\":\n    «body»\n    break;\n  default:\n    throw new Error(`«errtext»`);\n}",
        "await Promise.all(\n  «var».map(async («noun») => {\n    «body»\n  }),\n);",
    ],
    simple: &[
        "const «var» = await this.«fn»(«var»);",
        "const «var» = «fn»(«var», { «var»: «nn», «var»: true });",
        "this.«var».set(«var», { ...«var», «var»: «nn» });",
        "// «doc»",
        "const { «var», «var» = «nn» } = «var» ?? {};",
        "«var».sort((a, b) => a.«var» - b.«var» || a.«var».localeCompare(b.«var»));",
        "this.emit(\"«noun»:«verbed»\", «var», Date.now() - «big»);",
        "const «var» = «var».filter((«noun») => «noun».«var» !== \"«adj»\").slice(0, «nn»);",
        "if (!«var») return undefined;",
        "this.#«var» += «var».«var» ?? «n»;",
    ],
};
