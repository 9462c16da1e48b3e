// arbitrary: random values by a schema of the document, and values that break it.
import fc from 'fast-check';

// Returns the schema that a `$ref` names.
export function resolved(document, schema) {
  if (schema?.$ref === undefined) return schema;
  const found = schema.$ref.split('/').slice(1).reduce((at, name) => at[name.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return resolved(document, found);
}

const word = fc.string({ unit: 'binary', maxLength: 40 });

function ofType(document, schema, type) {
  const { minimum = 0, maximum = 1_000_000, minLength = 0, maxLength = 300, minItems = 0, maxItems = 5 } = schema;
  switch (type) {
    case 'null': return fc.constant(null);
    case 'boolean': return fc.boolean();
    case 'integer': return fc.integer({ min: minimum, max: maximum });
    case 'number': return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'string': return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 300) });
    case 'array': return fc.array(matching(document, schema.items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, 5) });
    default: {
      const properties = Object.entries(schema.properties ?? {}).map(([name, of]) => [name, matching(document, of)]);
      return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] });
    }
  }
}

// Values that match the schema.
export function matching(document, from) {
  const schema = resolved(document, from);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return fc.oneof(...parts.map((part) => matching(document, part)));
  const types = [schema.type ?? 'string'].flat();
  return fc.oneof(...types.map((type) => ofType(document, schema, type)));
}

const nested = (depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

// Any values: of other types, long, deep, with NUL and lone surrogates.
export const hostile = fc.oneof(
  { arbitrary: word, weight: 6 },
  { arbitrary: fc.constantFrom(null, true, -1, 0, 1e308, 2 ** 53, '', ' ', '\0', '\ud800', '{}', '../..', '%00', '-0', 'null'), weight: 6 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 4 },
  { arbitrary: fc.constantFrom(10, 100, 2000).map(nested), weight: 1 },
  { arbitrary: fc.constantFrom(300, 9000, 70_000).map((length) => 'é'.repeat(length)), weight: 1 },
);
