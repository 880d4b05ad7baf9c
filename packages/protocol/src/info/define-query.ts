import type * as z from 'zod';

/** Stands for a type in a definition. It carries no value. */
type TypeOf<Type> = { readonly type?: Type };

/** Names a type in a definition. */
export function typeOf<Type>(): TypeOf<Type> {
  return {};
}

/** The type that a definition names. */
export type NamedType<Stand> = Stand extends TypeOf<infer Type> ? Type : never;

/** One query of /info: the schema of its request, and the `data` of its answer. */
export type QueryDefinition = { readonly schema: z.ZodType; readonly answer: TypeOf<unknown> };
