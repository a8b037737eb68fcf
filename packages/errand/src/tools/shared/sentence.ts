import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** The first thing that is wrong with the arguments of a tool, in one sentence that names the field and what is accepted. */
export function sentenceOf(tool: string, error: z.ZodError, fields: readonly string[]): string {
  // A field that does not exist explains a missing one: it is often its misspelling.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  if (!issue) return `The arguments of "${tool}" are not valid.`;
  if (issue.code === 'unrecognized_keys') return unknownField(tool, issue, fields);
  return `"${nameOf(issue.path)}" ${complaintOf(issue)}.`;
}

function unknownField(tool: string, issue: z.core.$ZodIssueUnrecognizedKeys, fields: readonly string[]): string {
  const [key = ''] = issue.keys;
  if (issue.path.length > 0) return `"${nameOf(issue.path)}" has no field "${key}": leave it out.`;
  return `"${tool}" has no field "${key}". Available: ${fields.join(', ')}.`;
}

function complaintOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? `is missing: ${kindOf(issue.expected)} is needed`
        : `must be ${kindOf(issue.expected)}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return tooBig(issue);
    default:
      return issue.message;
  }
}

function tooBig(issue: z.core.$ZodIssueTooBig): string {
  if (issue.origin === 'string') return `must not be longer than ${issue.maximum} characters`;
  if (issue.origin === 'array') return `must not have more than ${issue.maximum} entries`;
  return `must be at most ${issue.maximum}`;
}

function kindOf(expected: string): string {
  return KINDS[expected] ?? expected;
}

/** `items[2].status`; lists are counted from 0, as in the arguments. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
}
