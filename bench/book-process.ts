import { OrderBook, Side } from 'nodejs-order-book';
import { type Flow, type FlowBook, PoolBook, readFlow, runSegment } from './flows.ts';
import { collectGarbage, cpuMs } from './report.ts';

/**
 * Runs a book in its own process, so that the garbage and types of other books do not affect it.
 * The process reads the flow from a file and waits for a message before each round.
 */

export type BookRequest =
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
 * Returns the number of resting orders and a checksum of their prices and sizes in priority order.
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

process.on('message', (request: BookRequest) => process.send?.(answer(request)));

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
