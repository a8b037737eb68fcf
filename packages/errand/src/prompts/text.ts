import { PROMPT_TEXTS } from './generated.ts';

/** The text of a prompt file, by its path below `src` without `.md`. */
export function promptText(key: string): string {
  const text = PROMPT_TEXTS[key];
  if (text === undefined) throw new Error(`there is no prompt ${key}`);
  return text;
}

/** Fills `{{name}}` from `values`; what a value holds is not looked at again. A name without a value is a mistake of ours. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/gu, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt asks for {{${name}}}, which was not given`);
    return value;
  });
}
