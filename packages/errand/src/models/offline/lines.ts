import { escapePattern } from './terms.ts';

/** What a line is for a name in it. */
export type LineRole = 'definition' | 'call' | 'import' | 'comment' | 'mention';

const KEYWORDS =
  'function\\*?|class|interface|type|enum|namespace|struct|trait|union|protocol|record|def|defp|defmodule|defmacro|fn|func|fun|sub|proc|macro|macro_rules!|impl|module|mod|object|actor|extension|const|let|var|val|static|typedef|alias|package|contract|#define|table|view';
const MODIFIERS =
  'public|private|protected|internal|static|async|override|readonly|abstract|final|virtual|inline|export|default|get|set|suspend|open|synchronized|unsafe|extern';
const NO_METHOD =
  /^\s*(?:if|for|while|switch|catch|return|else|throw|new|await|do|try|with|elif|case|yield|delete|typeof|import|from|export\s+\{)\b/u;

/** Ripgrep's pattern for the lines that may define one of the names; `within` lets the name be a part of a longer one. */
export function definitionPattern(patterns: readonly string[], within: boolean): string {
  const name = `(?:${patterns.join('|')})`;
  const whole = within ? String.raw`\w*${name}\w*` : String.raw`${name}\b`;
  return String.raw`(?:^|[\s(;{<])(?:${KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:[\w.:]+[.:])?[*&]?${whole}`;
}

/** The name that a line defines, with how sure that is: 3 by a keyword, 2 by its form, 1 by an assignment; null where it defines none. */
export function definedBy(text: string): { readonly name: string; readonly grade: number } | null {
  if (isComment(text) || isImport(text)) return null;
  const byKeyword = new RegExp(
    String.raw`(?:^|[\s(;{<])(${KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:[\w.:]+[.:])?[*&]?([\p{L}_$][\p{L}\p{N}_$]*)`,
    'u',
  ).exec(text);
  if (byKeyword?.[2] && !isProse(text, byKeyword[0]))
    return { name: byKeyword[2], grade: keywordGrade(byKeyword[1] ?? '', text) };
  const assigned = /^\s*(?:module\.exports\.|exports\.|self\.|this\.|[\w$]+\.prototype\.)([\w$]+)\s*=(?!=)/u.exec(text);
  if (assigned?.[1]) return { name: assigned[1], grade: /=\s*(?:async\s*)?(?:function|\()/u.test(text) ? 2 : 1 };
  const property =
    /^\s*["']?([\p{L}_$][\p{L}\p{N}_$-]*)["']?\s*[:=](?!=)\s*(?:async\s*)?(function\b|\([^)]*\)\s*(?::[^=]+)?=>|\w+\s*=>)/u.exec(
      text,
    );
  if (property?.[1]) return { name: property[1], grade: 2 };
  const method = methodName(text);
  if (method) return { name: method, grade: 2 };
  const key = /^\s{0,8}(?:readonly\s+)?["']?([\p{L}_$][\p{L}\p{N}_$.-]*)["']?\??\s*(?::(?!:)|=(?![=>]))/u.exec(text);
  return key?.[1] && !/^(?:case|default|return|http|https|note|todo)$/iu.test(key[1])
    ? { name: key[1], grade: 1 }
    : null;
}

function keywordGrade(keyword: string, text: string): number {
  // A variable inside a body is local; at the margin or exported it is a definition.
  return /^(?:const|let|var|val|static)$/u.test(keyword) && /^\s+/u.test(text) ? 1.5 : 3;
}

/** Words before the keyword that no programming language writes there: the line is a sentence. */
function isProse(text: string, match: string): boolean {
  const before = text.slice(0, text.indexOf(match) + 1);
  return (
    /[.,'`]/u.test(before) ||
    (before.match(/\p{L}+/gu) ?? []).some(
      (word) =>
        !new RegExp(
          `^(?:${MODIFIERS}|declare|pub|crate|create|or|replace|data|sealed|partial|local|exports?|return|if|not|exists|temporary|unique|and|companion|value|template|typename|constexpr|friend|noexcept|case|final|mut|struct|enum|let|const)$`,
          'iu',
        ).test(word),
    )
  );
}

/** Methods and C functions: the parentheses are closed and a body follows, or a return type. */
function methodName(text: string): string | null {
  if (NO_METHOD.test(text) || count(text, '(') !== count(text, ')')) return openMethodName(text);
  const method = new RegExp(
    String.raw`^\s*(?:(?:${MODIFIERS})\s+)*(?:\*\s*|#)?([\p{L}_$][\p{L}\p{N}_$]*)\??\s*(?:<[^()]*>)?\([^{}]*\)\s*(?::\s*[^={}]+)?(?:\{|\{\s*.*\}|;)\s*$`,
    'u',
  ).exec(text);
  if (
    method?.[1] &&
    (text.trimEnd().endsWith('{') || text.trimEnd().endsWith('}') || /\)\s*:\s*[^;]+;\s*$/u.test(text))
  )
    return method[1];
  const c = /^(?:[\p{L}_][\w:<>,*&\s[\]~]*[\s*&])(?:\w+::)?([\p{L}_~]\w*)\s*\([^;=]*\)\s*(?:const\s*)?\{?\s*$/u.exec(
    text,
  );
  if (c?.[1]) return c[1];
  return /^([\w-]+)\s*\(\)\s*\{/u.exec(text)?.[1] ?? null;
}

/** The first line of a method whose parameters stand on lines of their own; only with a modifier, else it looks like a call. */
function openMethodName(text: string): string | null {
  return (
    new RegExp(
      String.raw`^\s*(?:(?:${MODIFIERS})\s+)+(?:\*\s*|#)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^()]*>)?\($`,
      'u',
    ).exec(text)?.[1] ?? null
  );
}

/** What `name` is on this line of a file, and how sure a definition is. */
export function roleOf(
  name: string,
  { path, text }: { readonly path: string; readonly text: string },
): { readonly role: LineRole; readonly grade: number } {
  if (classOf(path) === 'docs')
    return isHeading(text) ? { role: 'definition', grade: 1 } : { role: 'mention', grade: 0 };
  if (isComment(text)) return { role: 'comment', grade: 0 };
  if (isImport(text)) return { role: 'import', grade: 0 };
  const last =
    name
      .split(/\.|::|->|#/u)
      .filter(Boolean)
      .at(-1) ?? name;
  const defined = definedBy(text);
  if (defined && (defined.name === last || defined.name === name)) return { role: 'definition', grade: defined.grade };
  const escaped = escapePattern(name);
  if (new RegExp(String.raw`\b(?:${KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:\w+[.:]+)?${escaped}\b`, 'u').test(text) && defined)
    return { role: 'definition', grade: 2 };
  const call = new RegExp(
    String.raw`(?<![\p{L}\p{N}_$])${escaped}(?:\s*<[^<>()]*>)?(?:\??\.)?\s?\(|\bnew\s+${escaped}\b|@${escaped}\b|<${escaped}[\s/>]|${escaped}!\(|${escaped}\x60`,
    'u',
  );
  return call.test(text) ? { role: 'call', grade: 0 } : { role: 'mention', grade: 0 };
}

export function isComment(text: string): boolean {
  return (
    /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!\s*(?:include|define|if|else|endif|pragma)\b|[[!#])\s|--\s|;;|<!--|"""|''')/u.test(
      text,
    ) && !/^\s*#{1,6}\s+\S+\s*$/u.test(text)
  );
}

/** A heading of Markdown, reStructuredText aside. */
export function isHeading(text: string): boolean {
  return /^#{1,6}\s+\S/u.test(text);
}

export function isImport(text: string): boolean {
  return /^\s*(?:import\b(?!\.meta|\()|from\s+\S+\s+import\b|export\s+(?:type\s+)?(?:\{|\*)[^=]*|(?:pub\s+)?use\s+[\w:{]+|#\s*include\b|using\s+[\w.]+\s*;|require\b|require_relative\b|\}\s*from\s+['"]|(?:const|let|var)\s+[^=]+=\s*(?:await\s+import|require)\s*\()/u.test(
    text,
  );
}

export type PathClass = 'source' | 'tests' | 'docs' | 'config' | 'examples' | 'fixtures' | 'generated';

/** What kind of file a path names, by the customs of most repositories. */
export function classOf(path: string): PathClass {
  if (
    /(?:^|\/)(?:dist|build|out|coverage|vendor|third_party|node_modules|\.next|target|__generated__|__snapshots__)\/|\.min\.|\.map$|[.-]lock(?:\.\w+)?$|\.snap$|[.-]generated\.|(?:^|\/)generated\.|_pb2?\.|(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY)\b/iu.test(
      path,
    )
  )
    return 'generated';
  if (/(?:^|\/)(?:__)?(?:fixtures?|testdata|mocks?|cassettes|recordings)(?:__)?\//iu.test(path)) return 'fixtures';
  if (
    /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/|[._-](?:test|spec|tests)\.[^/]+$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$|Tests?\.(?:java|cs|kt|swift)$/iu.test(
      path,
    )
  )
    return 'tests';
  if (/(?:^|\/)(?:examples?|demos?|samples?|bench(?:marks?)?)\//iu.test(path)) return 'examples';
  if (/\.(?:mdx?|rst|txt|adoc|org)$|(?:^|\/)docs?\/|(?:^|\/)(?:README|LICENSE|NOTICE|AUTHORS)/iu.test(path))
    return 'docs';
  return /\.(?:jsonc?|ya?ml|toml|ini|cfg|conf|xml|properties|env|csv|jsonl)$/iu.test(path) ? 'config' : 'source';
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
