import { chainedCheck, type LineForm, type ReadLine } from '@oddlot/host/durable';

/**
 * A line is a record as JSON, whose last field is the check: whoever compares what was signed reads it as it is. A line that lacks
 * its end alone counts, since the signature may be out; a hole in one that has its end is told, since nobody else can say what stood there.
 */
export const SIGNED_LINES: LineForm = {
  write: (record, before) => {
    const check = chainedCheck(before, JSON.stringify(record));
    return { text: JSON.stringify({ ...(record as object), check }), check };
  },
  read: (text, before) => {
    const found = before?.isRight === false ? undefined : checkedOf(text);
    const isRight =
      found !== undefined &&
      found.check === chainedCheck(before?.check ?? '', JSON.stringify(found.record));
    return { ...(isRight ? found : DAMAGED), isRight, isLast: true };
  },
  canHaveHoles: false,
  countsWithoutEnd: true,
};

const DAMAGED = { record: undefined, check: '' };

function checkedOf(text: string): Pick<ReadLine, 'record' | 'check'> | undefined {
  try {
    const { check, ...record } = JSON.parse(text) as { readonly check: string };
    return { record, check };
  } catch {
    return undefined;
  }
}
