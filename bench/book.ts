import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OrderBook, Side } from 'nodejs-order-book';
import {
  createFlow,
  type Flow,
  type FlowBook,
  type FlowName,
  type FlowOptions,
  FLOWS,
  PoolBook,
  readFlow,
  runSegment,
  type Segment,
  writeFlow,
} from './flows.ts';
import {
  atLeast,
  collectGarbage,
  cpuMs,
  median,
  medianRatio,
  noted,
  same,
  show,
  sized,
  skipped,
  type Row,
  type Scale,
} from './report.ts';

/**
 * Compares the engine's book with a widely used npm package and a C++ book, all running the same
 * flows.
 */

const TARGETS: Readonly<Record<FlowName, number | undefined>> = {
  A: 60,
  B: 60,
  C: undefined,
  D: 18,
};
const NATIVE_TARGET = 1;

export async function bookSection(scale: Scale): Promise<readonly Row[]> {
  const rounds = sized(scale, { full: 9, quick: 6, tiny: 2 });
  const operations = sized(scale, { full: 50_000, quick: 20_000, tiny: 200 });
  const depthShare = sized(scale, { full: 1, quick: 1, tiny: 0.002 });
  const directory = mkdtempSync(join(tmpdir(), 'oddlot-bench-'));
  const program = compile(join(directory, 'book'));
  const rows: Row[] = [];
  const ours = new ForkedBook();
  const peer = new ForkedBook();
  try {
    for (const name of FLOWS) {
      const options = { name, rounds, operations, depthShare };
      rows.push(...(await compare(options, ours, peer, { directory, program })));
    }
  } finally {
    ours.close();
    peer.close();
    rmSync(directory, { recursive: true });
  }
  if (program === undefined) rows.push(skipped('book against C++', 'no g++ on this machine'));
  return rows;
}

async function compare(
  options: FlowOptions,
  ours: ForkedBook,
  peer: ForkedBook,
  { directory, program }: { directory: string; program: string | undefined },
): Promise<Row[]> {
  const { name, rounds } = options;
  const flow = createFlow(options);
  const file = join(directory, `flow-${name}`);
  writeFlow(file, flow);
  await ours.ask({ type: 'open', subject: 'ours', file });
  await peer.ask({ type: 'open', subject: 'peer', file });
  const native = program === undefined ? undefined : new NativeBook(program, file, flow.segments);
  const times = { ours: [] as number[], peer: [] as number[], native: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const oursMs = Number(await ours.ask({ type: 'round', round }));
    const peerMs = Number(await peer.ask({ type: 'round', round }));
    const nativeMs = (await native?.roundMs(round)) ?? 0;
    // The first rounds include compilation and are not counted.
    if (round < rounds / 3) continue;
    times.ours.push(oursMs);
    times.peer.push(peerMs);
    times.native.push(nativeMs);
  }
  const expected = await ours.ask({ type: 'end' });
  same(`flow ${name}: nodejs-order-book ends with`, await peer.ask({ type: 'end' }), expected);
  if (native !== undefined) same(`flow ${name}: C++ ends with`, await native.checksum(), expected);

  const each = (ms: readonly number[]): string =>
    `${show((median(ms) * 1_000) / options.operations)} µs`;
  const ratio = medianRatio(times.peer, times.ours);
  const words = `${each(times.ours)} against ${each(times.peer)} an operation`;
  const what = `book, flow ${name}, against nodejs-order-book`;
  const target = TARGETS[name];
  const rows = [
    target === undefined ? noted(what, words, ratio) : atLeast(what, words, ratio, target),
  ];
  if (native !== undefined) {
    const nativeWords = `${each(times.ours)} against ${each(times.native)} an operation`;
    const nativeRatio = medianRatio(times.native, times.ours);
    const against = `book, flow ${name}, against C++ (map, list)`;
    rows.push(atLeast(against, nativeWords, nativeRatio, NATIVE_TARGET));
  }
  return rows;
}

/**
 * Runs a book in its own process, so that other books' garbage and type feedback do not affect it.
 * The process reads the flow from a file and waits for a message before each round.
 */
class ForkedBook {
  readonly #child = fork(import.meta.filename, {
    execArgv: ['--expose-gc'],
  });

  async ask(request: BookRequest): Promise<string | number> {
    this.#child.send(request);
    const [answer] = (await once(this.#child, 'message')) as [string | number];
    return answer;
  }

  close(): void {
    this.#child.disconnect();
  }
}

/** The C++ book. Its process runs one segment per input line. */
class NativeBook {
  readonly #segments: readonly Segment[];
  readonly #process: ReturnType<typeof spawn>;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, file: string, segments: readonly Segment[]) {
    this.#segments = segments;
    this.#process = spawn(program, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#process.stdout!)[Symbol.asyncIterator]();
  }

  async roundMs(round: number): Promise<number> {
    let ns = 0;
    for (const segment of this.#segments) {
      if (segment.round !== round) continue;
      this.#process.stdin!.write('\n');
      const spent = Number(await this.#line());
      if (segment.isTimed) ns += spent;
    }
    return ns / 1_000_000;
  }

  checksum(): Promise<string> {
    return this.#line();
  }

  async #line(): Promise<string> {
    const { value } = await this.#lines.next();
    return String(value);
  }
}

/** Returns the path of the compiled C++ book, or undefined if there is no compiler. */
function compile(path: string): string | undefined {
  const source = join(import.meta.dirname, 'book.cpp');
  try {
    execFileSync('g++', ['-O3', '-std=c++17', '-o', path, source], { stdio: 'inherit' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return path;
}

type BookRequest =
  | { readonly type: 'open'; readonly subject: 'ours' | 'peer'; readonly file: string }
  | { readonly type: 'round'; readonly round: number }
  | { readonly type: 'end' };

type Visit = (id: number, price: number, size: number) => void;

/** The npm package `nodejs-order-book`, with its ids formatted in advance. */
class PeerBook implements FlowBook {
  readonly #book = new OrderBook();
  readonly #names: readonly string[];

  constructor(flow: Flow) {
    const last = flow.id.reduce((max, id) => Math.max(max, id), 0);
    this.#names = Array.from({ length: last + 1 }, (_, id) => `o${id}`);
  }

  place(id: number, isBuy: boolean, price: number, size: number): void {
    const side = isBuy ? Side.BUY : Side.SELL;
    this.#book.limit({ id: this.#names[id]!, side, price, size });
  }

  cancel(id: number): void {
    this.#book.cancel(this.#names[id]!);
  }

  amend(id: number, _isBuy: boolean, price: number, size: number): void {
    this.#book.modify(this.#names[id]!, { price, size });
  }

  forEach(visit: Visit): void {
    const { bids, asks } = this.#book.snapshot();
    for (const { orders } of [...bids, ...asks]) {
      for (const { id, price, size } of orders) visit(Number(id.slice(1)), price, size);
    }
  }
}

/**
 * Returns the number of resting orders and a checksum of their prices and sizes, in priority order.
 */
function checksum(subject: PoolBook | PeerBook): string {
  let count = 0;
  let sum = 0x811c9dc5;
  subject.forEach((id, price, size) => {
    count += 1;
    for (const word of [id, price, size]) sum = Math.imul(sum ^ word, 0x01000193);
  });
  return `${count} ${sum >>> 0}`;
}

let flow: Flow | undefined;
let book: PoolBook | PeerBook | undefined;

if (import.meta.main) {
  process.on('message', (request: BookRequest) => process.send?.(answer(request)));
}

function answer(request: BookRequest): string | number {
  if (request.type === 'open') {
    flow = readFlow(request.file);
    book = request.subject === 'ours' ? new PoolBook() : new PeerBook(flow);
    return 'open';
  }
  if (flow === undefined || book === undefined) throw new Error('open comes first');
  return request.type === 'round' ? roundMs(book, flow, request.round) : checksum(book);
}

function roundMs(subject: FlowBook, { segments, ...columns }: Flow, round: number): number {
  collectGarbage();
  let spent = 0;
  for (const segment of segments) {
    if (segment.round !== round) continue;
    if (segment.isTimed) spent += cpuMs(() => runSegment(subject, columns, segment));
    else runSegment(subject, columns, segment);
  }
  return spent;
}
