import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { sentenceOf } from './sentence.ts';

/** The arguments of one tool: what a model is told about them, and how they are read. */
export interface Arguments<Args> {
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  parse(args: Json): Result<Args, string>;
}

/**
 * Null means absent, in lists of objects too. Numbers and switches are accepted as texts as well; unknown fields are
 * refused by name. The error is one sentence about the first thing that is wrong.
 */
export function defineArguments<Shape extends z.ZodRawShape>(
  tool: string,
  shape: Shape,
): Arguments<z.infer<z.ZodObject<Shape>>> {
  const schema = z.strictObject(shape);
  const parameters = schemaOf(schema);
  const fields = isJsonObject(parameters.properties) ? parameters.properties : {};
  return {
    parameters,
    parse(args) {
      const given = withoutNulls(args ?? {});
      if (!isJsonObject(given)) return fail(`The arguments of "${tool}" must be an object.`);
      const read = schema.safeParse(asMeant(given, fields));
      if (read.success) return succeed(read.data as z.infer<z.ZodObject<Shape>>);
      return fail(sentenceOf(tool, read.error, Object.keys(fields)));
    },
  };
}

/** A JSON Schema as providers like it: without the address of its dialect. */
export function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema) as { readonly [key: string]: Json };
  return rest;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutNulls(field)]));
}

/** Models write numbers and switches as texts now and then; there is only one thing that they can mean. */
function asMeant(given: JsonObject, fields: JsonObject): JsonObject {
  const entries = Object.entries(given).map(([key, value]): [string, Json] => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value !== 'string' || !isJsonObject(field)) return [key, value];
    const text = value.trim();
    if (field.type === 'integer' && /^\d{1,15}$/u.test(text)) return [key, Number(text)];
    if (field.type === 'boolean' && /^(?:true|false)$/iu.test(text)) return [key, text.toLowerCase() === 'true'];
    return [key, value];
  });
  return Object.fromEntries(entries);
}
