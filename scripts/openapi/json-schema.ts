/** The part of JSON Schema 2020-12 that the descriptions use. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly (string | number | boolean | null)[];
  const?: string | number | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema | false;
  prefixItems?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
  /** The value that applies if the field is absent. */
  'x-default'?: unknown;
  examples?: readonly unknown[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  /** True if the enum's values are accepted in upper or lower case. */
  'x-case-insensitive'?: true;
};

/** The named schemas of a document. */
export type Components = Map<string, JsonSchema>;

export const ADDRESS = '^0x[0-9a-fA-F]{40}$';
export const HASH = '^0x[0-9a-fA-F]{64}$';

/** Returns a reference to a named schema of the document. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
