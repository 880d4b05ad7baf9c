/**
 * What a request looks like, as plain data: enough for a client to bring the keys of an action into the order that is
 * signed, and to find what the venue would refuse for its form. The schemas are the truth. They need a library that is three
 * times as large as a client may be, so clients carry these, which `npm run write-shapes` derives from the schemas.
 *
 * What a schema says beyond form (an expiry that goes with `Gtd` alone) is not here: the venue says it.
 */
export type Shape = ScalarShape | ListShape | EnumShape | LiteralShape | IntegerShape | ObjectShape;

/** `any` is whatever the venue makes of it; `never` is a key that is kept for later. */
export type ScalarShape =
  | 'any'
  | 'never'
  | 'boolean'
  | 'text'
  | 'decimal'
  | 'address'
  | 'hash'
  | 'id'
  | 'object';

/** Entries of one shape, with their least and largest number and the name that a refusal calls the list by. */
type ListShape = readonly [kind: 'list', entry: Shape, min: number, max: number, name: string];

/** One of some texts, in any case; `aliases` are taken too, and not told. */
type EnumShape = readonly [kind: 'enum', values: readonly string[], aliases?: readonly string[]];

/** One of some values, exactly. */
type LiteralShape = readonly [kind: 'is', ...values: readonly (string | number | boolean)[]];

/** An integer of a range; without an end, up to what JSON carries exactly. */
export type IntegerShape = readonly [kind: 'integer', min?: number, max?: number];

/**
 * The fields in the order that is signed. A name that ends in `?` may be absent, one that ends in `*` may be null, and one that
 * ends in `?*` may be both.
 */
export type ObjectShape = { readonly [name: string]: Shape };

/** A field of an object shape, its marks read. */
type ShapeField = {
  readonly name: string;
  readonly shape: Shape;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
};

/** The fields of an object shape, in their order. */
export function fieldsOf(shape: ObjectShape): ShapeField[] {
  return Object.entries(shape).map(([marked, field]) => ({
    name: marked.replace(/[?*]+$/, ''),
    shape: field,
    isOptional: marked.includes('?'),
    isNullable: marked.endsWith('*'),
  }));
}

/** True for the shape of an object with fields. */
export function isObjectShape(shape: Shape): shape is ObjectShape {
  return typeof shape === 'object' && !Array.isArray(shape);
}
