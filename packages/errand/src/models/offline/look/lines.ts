import { escapePattern, wholeName } from '../ask/terms.ts';
import { classOf } from './path-class.ts';

/** What a line is for a name in it; `text`: the name stands in a string. */
export type LineRole = 'definition' | 'heir' | 'call' | 'import' | 'comment' | 'text' | 'mention';

/** Longer lines are data or minified, and define nothing that a person would look for. */
const MOST_CHARACTERS = 400;
const KEYWORDS =
  'function\\*?|class|interface|type|enum|namespace|struct|trait|union|protocol|record|def|defp|defmodule|defmacro|fn|func|fun|sub|proc|macro|macro_rules!|impl|module|mod|object|actor|extension|const|let|var|val|static|typedef|alias|package|contract|#define|table|view';
const MODIFIERS =
  'public|private|protected|internal|static|async|override|readonly|abstract|final|virtual|inline|export|default|get|set|suspend|open|synchronized|unsafe|extern';
const NO_METHOD =
  /^\s*(?:if|for|while|switch|catch|return|else|throw|new|await|do|try|with|elif|case|yield|delete|typeof|import|from|export\s+\{)\b/u;
/** Words that may stand before a keyword in some programming language; any other makes the line a sentence. */
const BEFORE_KEYWORD = new RegExp(
  `^(?:${MODIFIERS}|declare|pub|crate|create|or|replace|data|sealed|partial|local|exports?|return|if|not|exists|temporary|unique|and|companion|value|template|typename|constexpr|friend|noexcept|case|mut|struct|enum|let|const)$`,
  'iu',
);
const BY_KEYWORD = new RegExp(
  String.raw`(?:^|(?<=[\s(;{<]))(${KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:[\w.:]+[.:])?[*&]?([\p{L}_$][\p{L}\p{N}_$]*)`,
  'u',
);
const ASSIGNED = /^\s*(?:module\.exports\.|exports\.|self\.|this\.|[\w$]+\.prototype\.)([\w$]+)\s*=(?!=)/u;
const FUNCTION_PROPERTY =
  /^\s*["']?([\p{L}_$][\p{L}\p{N}_$-]*)["']?\s*[:=](?!=)\s*(?:async\s*)?(function\b|\([^)]*\)\s*(?::[^=]+)?=>|\w+\s*=>)/u;
const KEY = /^\s{0,8}(?:readonly\s+)?["']?([\p{L}_$][\p{L}\p{N}_$.-]*)["']?\??\s*(?::(?!:)|=(?![=>]))/u;
/** `name: Type;` declares; `name: value,` only sets. */
const MEMBER = /^\s+(?:readonly\s[^=]+|["']?[\w$-]+["']?\??\s*:[^=]+;\s*(?:\/\/.*)?)$/u;
const NO_KEY = /^(?:case|default|return|https?|note|todo|else)$/iu;
const METHOD = new RegExp(
  String.raw`^\s*(?:(?:${MODIFIERS})\s+)*(?:\*\s*|#)?([\p{L}_$][\p{L}\p{N}_$]*)\??\s*(?:<[^()]*>)?\([^{}]*\)\s*(?::\s*[^={}]+)?(?:\{|\{\s*.*\}|;)\s*$`,
  'u',
);
const C_FUNCTION = /^(?:[\p{L}_][\w:<>,*&\s[\]~]*[\s*&])(?:\w+::)?([\p{L}_~]\w*)\s*\([^;=]*\)\s*(?:const\s*)?\{?\s*$/u;
const SHELL_FUNCTION = /^([\w-]+)\s*\(\)\s*\{/u;
/** The first line of a method whose parameters stand on lines of their own; only with a modifier, else it looks like a call. */
const OPEN_METHOD = new RegExp(
  String.raw`^\s*(?:(?:${MODIFIERS})\s+)+(?:\*\s*|#)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^()]*>)?\($`,
  'u',
);

/** Ripgrep's pattern for the lines that may define one of the names; `within` lets the name be a part of a longer one. */
export function definitionPattern(patterns: readonly string[], within: boolean): string {
  const name = `(?:${patterns.join('|')})`;
  const whole = within ? String.raw`\w*${name}\w*` : String.raw`${name}\b`;
  return String.raw`(?:^|[\s(;{<])(?:${KEYWORDS})\s+(?:\([^)]*\)\s*)?(?:[\w.:]+[.:])?[*&]?${whole}`;
}

/** A pattern, for ripgrep and JavaScript alike, for the lines on which something implements or extends what `pattern` names. */
export function heirPattern(pattern: string): string {
  return String.raw`\b(?:implements|extends|impl|with)\b[^{]*\b${pattern}\b|\bclass\s+\w+\s*[(:][^{]*\b${pattern}\b|\b(?:struct|interface)\s+\w+\s*:[^{]*\b${pattern}\b`;
}

export interface Definition {
  readonly name: string;
  /** How sure it is: 3 by a keyword, 2 by its form, 1.5 for a local variable, 1.2 for a member of a type, 1 for a key or an assignment. */
  readonly grade: number;
}

/** What a line defines; null where it defines nothing. */
export function definedBy(text: string): Definition | null {
  if (text.length > MOST_CHARACTERS || isComment(text) || isImport(text)) return null;
  const byKeyword = BY_KEYWORD.exec(text);
  const isListed = byKeyword?.[1] === 'type' && /^\s*[,}]/u.test(text.slice(byKeyword.index + byKeyword[0].length));
  if (isListed) return null;
  if (byKeyword?.[2] && !isProse(text.slice(0, byKeyword.index))) {
    return { name: byKeyword[2], grade: keywordGrade(byKeyword[1] ?? '', text) };
  }
  const assigned = ASSIGNED.exec(text);
  if (assigned?.[1]) return { name: assigned[1], grade: /=\s*(?:async\s*)?(?:function|\()/u.test(text) ? 2 : 1 };
  const named = FUNCTION_PROPERTY.exec(text)?.[1] ?? methodName(text);
  if (named) return { name: named, grade: 2 };
  const key = KEY.exec(text)?.[1];
  return key && !NO_KEY.test(key) ? { name: key, grade: MEMBER.test(text) ? 1.2 : 1 } : null;
}

function keywordGrade(keyword: string, text: string): number {
  // A variable inside a body is local; at the margin it is a definition.
  return /^(?:const|let|var|val|static)$/u.test(keyword) && /^\s+/u.test(text) ? 1.5 : 3;
}

function isProse(before: string): boolean {
  return /[.,'`]/u.test(before) || (before.match(/\p{L}+/gu) ?? []).some((word) => !BEFORE_KEYWORD.test(word));
}

/** Methods and C functions: the parentheses are closed and a body follows, or a return type. */
function methodName(text: string): string | null {
  if (NO_METHOD.test(text)) return null;
  if (count(text, '(') !== count(text, ')')) return OPEN_METHOD.exec(text)?.[1] ?? null;
  const method = METHOD.exec(text)?.[1];
  const end = text.trimEnd();
  if (method && (/[{}]$/u.test(end) || /\)\s*:\s*[^;]+;$/u.test(end))) return method;
  return C_FUNCTION.exec(text)?.[1] ?? SHELL_FUNCTION.exec(text)?.[1] ?? null;
}

export interface Standing {
  readonly role: LineRole;
  /** How sure a definition is, as in `Definition`; 0 for every other role. */
  readonly grade: number;
}

export type RoleTeller = (line: { readonly path: string; readonly text: string }) => Standing;

/** Tells what `name` is on a line of a file, and how sure a definition is. */
export function createRoleTeller(name: string): RoleTeller {
  const last =
    name
      .split(/\.|::|->|#/u)
      .filter(Boolean)
      .at(-1) ?? name;
  const escaped = escapePattern(name);
  const call = new RegExp(
    String.raw`(?<![\p{L}\p{N}_$])${escaped}(?:\s*<[^<>()]*>)?(?:\?\.)?\s?\(|\bnew\s+${escaped}\b|@${escaped}\b|<${escaped}[\s/>]|${escaped}!\(|\(0, ?[\w$.]*\b${escaped}\)\s?\(|${escaped}\x60`,
    'u',
  );
  const heir = new RegExp(heirPattern(escaped), 'u');
  const alone = wholeName(name);
  return ({ path, text }) => {
    if (classOf(path) === 'docs')
      return isHeading(text) ? { role: 'definition', grade: 1 } : { role: 'mention', grade: 0 };
    if (isComment(text) || isSentence(text)) return { role: 'comment', grade: 0 };
    if (isImport(text)) return { role: 'import', grade: 0 };
    const defined = definedBy(text);
    if (defined && (defined.name === last || defined.name === name))
      return { role: 'definition', grade: defined.grade };
    const bare = withoutStrings(text);
    if (heir.test(bare)) return { role: 'heir', grade: 0 };
    if (call.test(bare)) return { role: 'call', grade: 0 };
    return { role: alone.test(bare) ? 'mention' : 'text', grade: 0 };
  };
}

export function isComment(text: string): boolean {
  return (
    /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!\s*(?:include|define|if|else|endif|pragma)\b|[[!#])\s|--\s|;;|<!--|"""|''')/u.test(
      text,
    ) && !/^\s*#{1,6}\s+\S+\s*$/u.test(text)
  );
}

/** Prose between lines of code, as in a docstring: four plain words in a row outside of quotations, and nothing that code ends with. */
export function isSentence(text: string): boolean {
  const bare = text.replace(/"[^"]*"|'[^']*'|`[^`]*`/gu, '""');
  return (
    !/[={};]|=>|->/u.test(bare) &&
    !/^\s*(?:if|elif|else|return|for|while|with|assert|from|import|select|insert|update|delete|where|and|or|not|yield|case|when|unless)\b/iu.test(
      bare,
    ) &&
    /(?:^|\s)[A-Za-z]?[a-z]+(?:,? [a-z]+){3}/u.test(bare)
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

/** With strings emptied; of templates the code in them is kept. */
function withoutStrings(text: string): string {
  return text
    .replace(/`([^`]*)`/gu, (_whole, inner: string) => `\`${(inner.match(/\$\{[^}]*\}/gu) ?? []).join(' ')}\``)
    .replace(/"[^"]*"/gu, '""')
    .replace(/(?<![\p{L}\p{N}])'[^']*'/gu, "''");
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
