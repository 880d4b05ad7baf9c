import type { Json } from '../samples.ts';
import type { Components, JsonSchema } from './json-schema.ts';

/** Sets the example of each scalar field below a schema to the corresponding value in a sample. */
export function addExamples(schema: JsonSchema, value: Json, components: Components): void {
  const name = schema.$ref?.split('/').at(-1);
  const target = name === undefined ? schema : components.get(name)!;
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const { items, prefixItems } = target;
    list.forEach((each, index) => {
      const entry = prefixItems?.[index] ?? (items === false ? undefined : items);
      if (entry !== undefined) addExamples(entry, each, components);
    });
  }
  for (const each of [...(target.anyOf ?? []), ...(target.oneOf ?? [])]) {
    if (isFitting(each, value, components)) addExamples(each, value, components);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, held] of Object.entries(value)) {
    const field = target.properties?.[key];
    if (field === undefined) continue;
    const isScalar = typeof held !== 'object' && held !== '' && !String(held).endsWith('…');
    const isFree =
      field.const === undefined && field.$ref === undefined && field.examples === undefined;
    if (isScalar && isFree) field.examples = [held];
    else addExamples(field, held, components);
  }
}

/**
 * Returns true if an object has all the fields that an alternative requires, and the values of its
 * constants.
 */
function isFitting(schema: JsonSchema, value: Json, components: Components): boolean {
  const name = schema.$ref?.split('/').at(-1);
  const { properties = {}, required = [] } = name === undefined ? schema : components.get(name)!;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const held = value as Readonly<Record<string, Json>>;
  return (
    required.every((key) => Object.hasOwn(held, key)) &&
    Object.entries(properties).every(
      ([key, field]) =>
        field.const === undefined || held[key] === undefined || held[key] === field.const,
    )
  );
}
