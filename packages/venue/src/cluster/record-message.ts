import { chainedCheck } from '@oddlot/host/durable';

/** One message of shared records. */
export type RecordMessage =
  /** Somebody has taken them over: what was begun before and not ended never counts. */
  | { readonly kind: 'takeover'; readonly holder: string }
  /** Records behind those before; or, of `anew`, in the place of all before. What has several pieces counts with the last. */
  | {
      readonly kind: 'append' | 'anew';
      readonly isFirst: boolean;
      readonly isLast: boolean;
      readonly records: readonly unknown[];
    };

type Written = RecordMessage & {
  /** By which its writer knows it again. */
  readonly id: string;
  /** The place of the message of the same subject before it; 0 for none. */
  readonly before: number;
};

type Placed = {
  readonly place: number;
  /** Undefined in the place of what is damaged. */
  readonly message: Partial<Pick<Written, 'id'>> & { readonly said?: Written | undefined };
};

/** A check and JSON, like the lines of a file. */
export function encodeRecords(written: Written): string {
  const said = JSON.stringify(written);
  return `${chainedCheck('', said)} ${said}`;
}

export function decodeRecords(data: Uint8Array): Placed['message'] {
  const text = Buffer.from(data).toString('utf8');
  const at = text.indexOf(' ');
  const said = text.slice(at + 1);
  if (text.slice(0, at) !== chainedCheck('', said)) return {};
  const written = JSON.parse(said) as Written;
  return { id: written.id, said: written };
}

type Folded = {
  readonly records: readonly unknown[];
  /** Records and takeovers that have to be read to know them. */
  readonly count: number;
  /** Nothing before this place is needed. */
  readonly firstOfUse: number;
  /** A message of use is missing or is not as it was written. */
  readonly isDamaged: boolean;
};

/** What messages of a subject say together, in their order. */
export function foldRecords(messages: readonly Placed[]): Folded {
  let folded: Folded = { records: [], count: 0, firstOfUse: 0, isDamaged: false };
  let records: unknown[] = [];
  /** What was begun and is not ended. */
  let open: { readonly records: unknown[]; readonly place: number; isWhole: boolean } | undefined;
  let lastPlace: number | undefined;
  for (const { message, place } of messages) {
    const { said } = message;
    const isNext = said !== undefined && (lastPlace === undefined || said.before === lastPlace);
    const isHole = !isNext || (lastPlace === undefined && said.before !== 0);
    lastPlace = place;
    const startsAnew = said?.kind === 'anew' && said.isFirst;
    const isDamaged = folded.isDamaged || isHole;
    folded = { ...folded, count: folded.count + 1, isDamaged };
    if (open !== undefined && isHole) open.isWhole = false;
    if (said === undefined || said.kind === 'takeover') {
      if (said !== undefined) open = undefined;
      continue;
    }
    if (said.isFirst || open === undefined) {
      open = { records: [], place, isWhole: said.isFirst && (startsAnew || !isHole) };
    }
    open.records.push(...said.records);
    if (!said.isLast) continue;
    if (said.kind === 'append') {
      records.push(...open.records);
      folded = { ...folded, count: folded.count + said.records.length };
    } else if (open.isWhole) {
      records = open.records;
      folded = { ...folded, count: records.length, firstOfUse: open.place, isDamaged: false };
    }
    open = undefined;
  }
  return { ...folded, records };
}
