import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API, type Checker, type Symbol, type Type } from 'typescript/unstable/sync';
import { type Components, type JsonSchema, refTo } from './json-schema.ts';

/** Flags from the compiler's API, which exports them only as types, so their values are copied. */
const OPTIONAL_SYMBOL = 1 << 24;

/** Returns a different name for a type if two types share a name. */
type Rename = (typeName: string) => string;

/**
 * Derives JSON Schemas from the type definitions of answers. The TypeScript compiler resolves the
 * types.
 */
export class TypeSchemas {
  readonly #api: API;
  readonly #checker: Checker;
  readonly #root: string;
  readonly #components: Components;
  readonly #rename: Rename;
  /** The id of each named type, used to detect two types with the same name. */
  readonly #typeIds = new Map<string, number>();

  constructor(
    { root, project }: { readonly root: string; readonly project: string },
    components: Components,
    rename: Rename = (name) => name,
  ) {
    this.#api = new API({ cwd: root });
    const [opened] = this.#api
      .updateSnapshot({ openProject: join(root, project, 'tsconfig.json') })
      .getProjects();
    this.#checker = opened!.checker;
    this.#root = join(root, project, 'src');
    this.#components = components;
    this.#rename = rename;
  }

  close(): void {
    this.#api.close();
  }

  /**
   * Returns the schema of a declared type. If the type is an object, its schema is named in the
   * document.
   */
  declared(file: string, name: string): JsonSchema {
    return this.#schemaOf(this.#declaredType(file, name));
  }

  /** Returns the schemas of the properties of a declared type, by name. */
  properties(file: string, name: string): ReadonlyMap<string, JsonSchema> {
    return this.#schemasOf(this.#declaredType(file, name));
  }

  /** Returns the types that a table's entries specify with `typeOf<Type>()` under a key. */
  tableTypes(file: string, table: string, key: string): ReadonlyMap<string, JsonSchema> {
    const symbol = this.#symbolAt(file, `export const ${table}`, table);
    const entries = this.#checker.getPropertiesOfType(this.#checker.getTypeOfSymbol(symbol)!);
    return new Map(
      entries.map((entry) => {
        const field = this.#propertyType(this.#checker.getTypeOfSymbol(entry)!, key);
        return [entry.name, this.#schemaOf(this.#propertyType(field, 'type'))];
      }),
    );
  }

  #propertyType(type: Type, name: string): Type {
    const symbol = this.#checker.getPropertiesOfType(type).find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`no property ${name}`);
    const found = this.#checker.getTypeOfSymbol(symbol)!;
    if (!found.isUnionType()) return found;
    const defined = found.getTypes().filter((each) => !isUndefined(each));
    if (defined.length === 1) return defined[0]!;
    throw new Error(`several types of ${name}`);
  }

  #declaredType(file: string, name: string): Type {
    const symbol = this.#symbolAt(file, `type ${name} `, name);
    return this.#checker.getDeclaredTypeOfSymbol(symbol)!;
  }

  #symbolAt(file: string, declaration: string, name: string): Symbol {
    const path = join(this.#root, file);
    const at = readFileSync(path, 'utf8').indexOf(declaration);
    if (at < 0) throw new Error(`${file} has no ${declaration}`);
    const symbol = this.#checker.getSymbolAtPosition(path, at + declaration.indexOf(name));
    if (symbol === undefined) throw new Error(`${file}: no symbol ${name}`);
    return symbol;
  }

  #schemasOf(type: Type): ReadonlyMap<string, JsonSchema> {
    return new Map(
      this.#checker
        .getPropertiesOfType(type)
        .map((symbol) => [symbol.name, this.#schemaOf(this.#checker.getTypeOfSymbol(symbol)!)]),
    );
  }

  #schemaOf(type: Type): JsonSchema {
    const alias = type.getAliasSymbol();
    const isNamed =
      alias !== undefined &&
      type.getAliasTypeArguments().length === 0 &&
      (type.isObjectType() || type.isIntersectionType() || hasObject(type)) &&
      !this.#checker.isArrayType(type);
    if (!isNamed) return this.#unnamed(type);
    const name = this.#rename(alias.name);
    const known = this.#typeIds.get(name);
    if (known !== undefined && known !== type.id) {
      // Once `undefined` is removed, an optional union is a different type with the same name.
      return this.#components.has(name) ? refTo(name) : this.#unnamed(type);
    }
    if (known === undefined) {
      this.#typeIds.set(name, type.id);
      this.#components.set(name, {});
      const comment = this.#checker.getDocumentationCommentOfSymbol(alias).trim();
      const schema = this.#unnamed(type);
      this.#components.set(name, {
        title: name,
        ...(comment === '' ? {} : { description: plain(comment) }),
        ...schema,
      });
    }
    return refTo(name);
  }

  #unnamed(type: Type): JsonSchema {
    if (type.isUnionType()) return this.#union(type.getTypes());
    if (type.isLiteralType()) {
      const { value } = type;
      if (typeof value === 'bigint') throw new Error('a bigint on the wire');
      return { const: value };
    }
    if (type.isTemplateLiteralType()) return { type: 'string' };
    if (type.isIntrinsicType()) return intrinsic(type.intrinsicName);
    if (type.isIntersectionType() && type.getTypes().some((each) => each.isIntrinsicType())) {
      // The type is a branded scalar.
      return this.#unnamed(type.getTypes().find((each) => each.isIntrinsicType())!);
    }
    if (type.isTypeReference() && this.#checker.isArrayType(type)) {
      const [element] = this.#checker.getTypeArguments(type);
      return { type: 'array', items: this.#schemaOf(element!) };
    }
    if (type.isTypeReference() && this.#checker.isTupleType(type)) {
      const elements = this.#checker.getTypeArguments(type).map((each) => this.#schemaOf(each));
      const count = elements.length;
      return {
        type: 'array',
        prefixItems: elements,
        items: false,
        minItems: count,
        maxItems: count,
      };
    }
    return this.#object(type);
  }

  #object(type: Type): JsonSchema {
    const index = this.#checker.getIndexInfosOfType(type)[0];
    const symbols = this.#checker.getPropertiesOfType(type);
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const symbol of symbols) {
      const found = this.#schemaOf(this.#checker.getTypeOfSymbol(symbol)!);
      const comment = this.#checker.getDocumentationCommentOfSymbol(symbol).trim();
      properties[symbol.name] = comment === '' ? found : { ...found, description: plain(comment) };
      if ((symbol.flags & OPTIONAL_SYMBOL) === 0) required.push(symbol.name);
    }
    return {
      type: 'object',
      ...(symbols.length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(index === undefined ? {} : { additionalProperties: this.#schemaOf(index.valueType) }),
    };
  }

  /**
   * Returns the schema of a union. Literals become one enum, both booleans become one type, and
   * `undefined` makes the field optional.
   */
  #union(types: readonly Type[]): JsonSchema {
    const members = types.filter((each) => !isUndefined(each));
    const literals = members.filter((each) => each.isLiteralType());
    const values = literals.map((each) => each.value as string | number | boolean);
    const others = members
      .filter((each) => !each.isLiteralType())
      .map((each) => this.#schemaOf(each));
    const isBoolean = values.includes(true) && values.includes(false);
    const rest = isBoolean ? values.filter((each) => typeof each !== 'boolean') : values;
    const schemas = [
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...(rest.length === 0 ? [] : [rest.length === 1 ? { const: rest[0]! } : { enum: rest }]),
      ...others,
    ];
    const distinct = [...new Map(schemas.map((each) => [JSON.stringify(each), each])).values()];
    return distinct.length === 1 ? distinct[0]! : { anyOf: distinct };
  }
}

const isUndefined = (type: Type): boolean =>
  type.isIntrinsicType() && type.intrinsicName === 'undefined';

/**
 * Returns true for a union that contains an object. A union of literals is written out wherever it
 * is used.
 */
const hasObject = (type: Type): boolean =>
  type.isUnionType() &&
  !type.getTypes().some((each) => isUndefined(each) || isNull(each)) &&
  type.getTypes().some((each) => each.isObjectType() || each.isIntersectionType());

const isNull = (type: Type): boolean => type.isIntrinsicType() && type.intrinsicName === 'null';

function intrinsic(name: string): JsonSchema {
  if (name === 'string' || name === 'number' || name === 'boolean' || name === 'null') {
    return { type: name };
  }
  if (name === 'object') return { type: 'object' };
  if (name === 'any' || name === 'unknown') return {};
  throw new Error(`the type ${name} on the wire`);
}

/** Returns a comment as one paragraph. */
function plain(comment: string): string {
  return comment.replace(/\s+/g, ' ');
}
