import type { SeededRandom } from '../support/seeded.ts';
import {
  changeAt,
  leaf,
  list,
  map,
  nodeAt,
  textOf,
  treeOf,
  type Entry,
  type Tree,
} from './json-tree.ts';
import { escaped, ODD_KEYS, oddLeaf, OTHER_TYPES, otherLeaf } from './odd-values.ts';

/**
 * Makes a valid request invalid, first through structural changes and then by changing characters.
 */

/** Nesting depths up to, at and beyond the limit. */
const DEPTHS = [1, 1, 2, 30, 31, 32, 33, 300, 5_000];
/** Numbers of list entries around the API's limits. */
const REPEATS = [2, 3, 11, 21, 50, 51, 200, 201];

/** Applies one to three changes to a tree. A change may insert a subtree from `others`. */
export function mutateTree(sample: Tree, others: readonly Tree[], random: SeededRandom): Tree {
  let tree = sample;
  const changes = random.pick([1, 1, 1, 2, 3]);
  for (let count = 0; count < changes; count++) {
    tree = changeAt(tree, random.below(tree.size), (node) => mutateNode(node, others, random));
  }
  return tree;
}

/**
 * Applies one to three changes that leave the tree matching its schema: other values, a different
 * order of keys, or unknown keys.
 */
export function nudgeTree(sample: Tree, random: SeededRandom): Tree {
  let tree = sample;
  const changes = random.pick([1, 1, 2, 3]);
  for (let count = 0; count < changes; count++) {
    tree = changeAt(tree, random.below(tree.size), (node) => nudgeNode(node, random));
  }
  return tree;
}

function nudgeNode(node: Tree, random: SeededRandom): Tree {
  if (node.kind === 'leaf') return leaf(otherLeaf(node.raw, random));
  if (node.kind === 'list') return list(shuffled(node.items, random));
  if (random.below(3) > 0) return map(shuffled(node.entries, random));
  return map([...node.entries, ['"isFrontend"', leaf('true')]]);
}

function mutateNode(node: Tree, others: readonly Tree[], random: SeededRandom): Tree {
  switch (random.below(40)) {
    case 0:
      return leaf(wrapped(textOf(node), random));
    case 1:
      return graft(others, random);
    case 2:
      return leaf(random.pick(OTHER_TYPES));
    case 3:
      return leaf(JSON.stringify(textOf(node)));
  }
  if (node.kind === 'map') return mutateMap(node.entries, others, random);
  if (node.kind === 'list') return mutateList(node.items, others, random);
  return mutateLeaf(node.raw, others, random);
}

function mutateLeaf(raw: string, others: readonly Tree[], random: SeededRandom): Tree {
  // Some strings in the API contain JSON themselves.
  const inner = raw.startsWith('"{') ? treeWithin(raw) : undefined;
  if (inner === undefined || random.below(4) === 0) return leaf(oddLeaf(raw, random));
  return leaf(JSON.stringify(textOf(mutateTree(inner, others, random))));
}

function treeWithin(raw: string): Tree | undefined {
  try {
    return treeOf(JSON.parse(JSON.parse(raw)));
  } catch {
    return undefined;
  }
}

function mutateMap(entries: readonly Entry[], others: readonly Tree[], random: SeededRandom): Tree {
  const at = random.below(Math.max(1, entries.length));
  const entry = entries[at];
  if (entry === undefined) return map([[random.pick(ODD_KEYS), graft(others, random)]]);
  const [key, value] = entry;
  switch (random.below(8)) {
    case 0:
      return map(entries.toSpliced(at, 1));
    case 1:
      return map([...entries, [key, random.below(2) === 0 ? value : graft(others, random)]]);
    case 2:
      return map(entries.with(at, [random.pick(ODD_KEYS), value]));
    case 3:
      return map(entries.with(at, [otherKey(key, random), value]));
    case 4:
      return map(shuffled(entries, random));
    case 5:
      return map([...entries, [random.pick(ODD_KEYS), graft(others, random)]]);
    case 6:
      return map(entries.with(at, [key, leaf('null')]));
    default: {
      const other = random.below(entries.length);
      return map(
        entries.with(at, [key, entries[other]![1]]).with(other, [entries[other]![0], value]),
      );
    }
  }
}

function mutateList(items: readonly Tree[], others: readonly Tree[], random: SeededRandom): Tree {
  const at = random.below(Math.max(1, items.length));
  const item = items[at] ?? graft(others, random);
  switch (random.below(5)) {
    case 0:
      return list(items.toSpliced(at, 1));
    case 1:
      return list([...items, graft(others, random)]);
    case 2:
      return list(Array.from({ length: random.pick(REPEATS) }, () => item));
    case 3:
      return list(shuffled(items, random));
    default:
      return map(items.map((member, index) => [`"${index}"`, member]));
  }
}

/** Returns a subtree from another request. */
function graft(others: readonly Tree[], random: SeededRandom): Tree {
  const other = random.pick(others);
  return nodeAt(other, random.below(other.size));
}

function otherKey(key: string, random: SeededRandom): string {
  const name = key.slice(1, -1);
  const at = random.below(Math.max(1, name.length));
  return random.pick([
    `"${name.toUpperCase()}"`,
    `"${name} "`,
    `"${name}\\u0000"`,
    `"${name.slice(1)}"`,
    `"${name.slice(0, at)}${escaped(name.charAt(at))}${name.slice(at + 1)}"`,
    name,
    `'${name}'`,
  ]);
}

function wrapped(text: string, random: SeededRandom): string {
  const depth = random.pick(DEPTHS);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"x":', '}'],
    ['[', ''],
  ] as const);
  return open.repeat(depth) + text + close.repeat(depth);
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

/** Characters with a special meaning in JSON or UTF-8. */
const CHARACTERS = '{}[]":,\\/ \t\n\r-+.eE019truefalsn\u0000\u007F\u0080\uFEFF\uFFFD😀';

/** Damages a text at random, regardless of its JSON structure. */
export function garbleText(text: string, random: SeededRandom): Buffer {
  const at = random.below(Math.max(1, text.length));
  switch (random.below(9)) {
    case 0:
      return Buffer.from(text.slice(0, at));
    case 1:
      return Buffer.from(text + random.pick([text, '{}', ',', ']', '\u0000', '//x', 'null']));
    case 2:
      return Buffer.from(random.pick(['\uFEFF', '[', ' \t\r\n', '\u0000', '/**/']) + text);
    case 3:
      return Buffer.from(text.replaceAll(':', random.pick([' : ', '\n:\n', '=', '::'])));
    case 4:
      return Buffer.from(text.replaceAll('"', random.pick(["'", '', '""', '\\"'])));
    case 5:
      return notUtf8(text, at, random);
    case 6:
      return Buffer.from(`[${text}]`);
    default:
      return Buffer.from(withOddCharacters(text, random));
  }
}

function withOddCharacters(text: string, random: SeededRandom): string {
  const characters = text.split('');
  for (let count = 1 + random.below(4); count > 0 && characters.length > 0; count--) {
    const at = random.below(characters.length);
    const odd = random.pick(CHARACTERS.split(''));
    characters.splice(at, random.below(2), ...(random.below(4) === 0 ? [] : [odd]));
  }
  return characters.join('');
}

function notUtf8(text: string, at: number, random: SeededRandom): Buffer {
  const bytes = Buffer.from(text);
  const odd = Buffer.from(random.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5], [0xc3]]));
  return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at)]);
}
