import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import {
  Cancel,
  CancelByCloid,
  Order,
  OutcomeOperation,
} from '../../packages/protocol/src/actions/order-parts.ts';
import { PermitSignatureSchema, SignatureSchema } from '../../packages/protocol/src/primitives.ts';
import { type Part, samplesOf } from '../samples.ts';
import { type Components, type JsonSchema, refTo } from './json-schema.ts';
import { TypeSchemas } from './type-schemas.ts';

/** Functions and definitions shared by both API descriptions. */

export const ROOT = join(import.meta.dirname, '../..');
export const REFERENCE = 'docs/reference';

/** A part of a document, as its specification defines it. */
export type Node = { [key: string]: unknown };

export type Definition = { readonly schema: z.core.$ZodType };

const VERSION = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
).version;

const PAGES = new Map(
  readdirSync(join(ROOT, REFERENCE))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => [name, readFileSync(join(ROOT, REFERENCE, name), 'utf8')]),
);

export const pagesOf = (pattern: RegExp): string[] =>
  [...PAGES].flatMap(([name, text]) => (pattern.test(name) ? [text] : []));

export const samplesIn = (pattern: RegExp): ReadonlyMap<string, readonly Part[]> =>
  new Map(pagesOf(pattern).flatMap((text) => [...samplesOf(text)]));

/** Names that the documents give to definitions used in many schemas. */
export const NAMES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [Order, 'Order'],
  [Cancel, 'Cancel'],
  [CancelByCloid, 'CancelByCloid'],
  [OutcomeOperation, 'OutcomeOperation'],
  [SignatureSchema, 'Signature'],
  [PermitSignatureSchema, 'PermitSignature'],
]);

/** New names for answer types whose name is also that of a request. */
const RENAMED: Readonly<Record<string, string>> = { Details: 'ErrorDetails' };

export const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

export const typeReader = (components: Components): TypeSchemas =>
  new TypeSchemas({ root: ROOT, project: 'packages/protocol' }, components, (name) =>
    Object.hasOwn(RENAMED, name) ? RENAMED[name]! : name,
  );

export const INFO = {
  version: VERSION,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** Adds a union of existing schemas, discriminated by `type`, and returns a reference to it. */
export function unionOf(
  name: string,
  members: readonly { readonly type: string; readonly component: string }[],
  components: Components,
): JsonSchema {
  components.set(name, {
    title: name,
    oneOf: members.map(({ component }) => refTo(component)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        members.map(({ type, component }) => [type, `#/components/schemas/${component}`]),
      ),
    },
  });
  return refTo(name);
}

const SOURCES = new Map<string, string>();

/** Returns the comment on a definition, read from the file that contains it. */
export function commentOf(file: string, name: string): string {
  const path = join(ROOT, 'packages/protocol/src', file);
  const text = SOURCES.get(path) ?? readFileSync(path, 'utf8');
  SOURCES.set(path, text);
  const comment = new RegExp(`\\n  /\\*\\*((?:(?!\\*/)[^])*)\\*/\\n  ${name}: `).exec(text)?.[1];
  return (comment ?? '')
    .replace(/\n\s*\* ?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the components sorted by name, so that adding a component does not reorder the others.
 */
export function sorted(components: ReadonlyMap<string, object>): Node {
  return Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
