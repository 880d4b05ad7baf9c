/**
 * JSON that preserves spelling: the form of numbers, the order of keys, and duplicate keys. Trees
 * are immutable, so that one sample can be mutated many times.
 */

export type Tree =
  | { readonly kind: 'leaf'; readonly raw: string; readonly size: 1 }
  | { readonly kind: 'list'; readonly items: readonly Tree[]; readonly size: number }
  | { readonly kind: 'map'; readonly entries: readonly Entry[]; readonly size: number };

/** An entry of an object. The key includes its quotes. */
export type Entry = readonly [key: string, value: Tree];

export function leaf(raw: string): Tree {
  return { kind: 'leaf', raw, size: 1 };
}

export function list(items: readonly Tree[]): Tree {
  return { kind: 'list', items, size: items.reduce((sum, item) => sum + item.size, 1) };
}

export function map(entries: readonly Entry[]): Tree {
  return { kind: 'map', entries, size: entries.reduce((sum, [, value]) => sum + value.size, 1) };
}

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return list(value.map(treeOf));
  if (typeof value !== 'object' || value === null) return leaf(JSON.stringify(value));
  return map(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [JSON.stringify(key), treeOf(member)]),
  );
}

export function textOf(tree: Tree): string {
  if (tree.kind === 'leaf') return tree.raw;
  if (tree.kind === 'list') return `[${tree.items.map(textOf).join(',')}]`;
  return `{${tree.entries.map(([key, value]) => `${key}:${textOf(value)}`).join(',')}}`;
}

/** Returns the tree with one node replaced. Nodes are numbered from the root, which is 0. */
export function changeAt(tree: Tree, at: number, change: (node: Tree) => Tree): Tree {
  if (at === 0) return change(tree);
  if (tree.kind === 'list') {
    const { index, rest } = childAt(tree.items, at - 1);
    return list(tree.items.with(index, changeAt(tree.items[index]!, rest, change)));
  }
  if (tree.kind === 'map') {
    const values = tree.entries.map(([, value]) => value);
    const { index, rest } = childAt(values, at - 1);
    const changed = changeAt(values[index]!, rest, change);
    return map(tree.entries.with(index, [tree.entries[index]![0], changed]));
  }
  throw new Error('There is nothing below a leaf');
}

/** Returns the node with this number, counted as in `changeAt`. */
export function nodeAt(tree: Tree, at: number): Tree {
  let found = tree;
  changeAt(tree, at, (node) => (found = node));
  return found;
}

/** Returns the index of the child that contains a node, and the node's number within that child. */
function childAt(children: readonly Tree[], at: number): { index: number; rest: number } {
  let rest = at;
  for (const [index, child] of children.entries()) {
    if (rest < child.size) return { index, rest };
    rest -= child.size;
  }
  throw new Error('There is no such node');
}
