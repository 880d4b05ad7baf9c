import type { CDPSession } from 'playwright-core';

/**
 * Bytes of the heap that the program itself holds: objects, closures, texts, arrays. What the engine has compiled
 * grows for minutes while it finds out what is used much, and is no leak of anybody's.
 */
export async function programHeap(instruments: CDPSession): Promise<number> {
  const chunks: string[] = [];
  const collect = ({ chunk }: { readonly chunk: string }): void => void chunks.push(chunk);
  instruments.on('HeapProfiler.addHeapSnapshotChunk', collect);
  await instruments.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  instruments.off('HeapProfiler.addHeapSnapshotChunk', collect);
  return bytesOf(JSON.parse(chunks.join('')) as Snapshot);
}

type Snapshot = {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
};

/** Not of the program: what is compiled, what is the browser's own, and what only holds a snapshot together. */
const OTHERS = new Set(['code', 'native', 'synthetic', 'hidden', 'object shape']);

export function bytesOf({ nodes, snapshot }: Snapshot): number {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at + typeAt] ?? 0] ?? '';
    if (!OTHERS.has(type)) bytes += nodes[at + sizeAt] ?? 0;
  }
  return bytes;
}
