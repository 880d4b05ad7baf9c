/**
 * Words that rows repeat: each is a byte. A new one goes to the end, and none is ever taken away or moved:
 * the rows of years are written in these numbers. A word that is not here is written out.
 */
const KNOWN_WORDS: readonly string[] = [
  '0',
  'A',
  'B',
  'Buy',
  'Sell',
  'USDC',
  'Taker',
  'Maker',
  'Cross',
  'Isolated',
  'OneWay',
  'Hedge',
  'perps',
  'outcome',
  'N/A',
  'Limit',
  'Market',
  'GTC',
  'GTD',
  'IOC',
  'FOK',
  'ALO',
  'open',
  'triggered',
  'filled',
  'cancelled',
  'rejected',
  'expired',
  'Yes',
  'No',
  'Buy Yes',
  'Buy No',
  'Sell Yes',
  'Sell No',
  'Split',
  'Merge',
  'Settlement',
  'UserCanceled',
  'Canceled by user',
  'Expired',
  'IocRemainder',
  'Immediate or cancel remainder',
  'SelfTrade',
  'Self trade',
  'ReduceOnly',
  'Reduce only order has no position left',
  'MarginCanceled',
  'Insufficient margin at match',
  'MatchLimit',
  'Too many resting orders met',
  'Liquidation',
  'Canceled by liquidation',
  'SiblingFilled',
  'Sibling order filled',
  'ParentCanceled',
  'Parent order canceled',
  'AmendedBelowFilled',
  'Amended below filled size',
  'OutcomeResolved',
  'Outcome market closed',
  'Delisted',
  'Instrument delisted',
  'ScheduledCancel',
  'Scheduled cancel',
];

/** Numbers of words are bytes above those of the other kinds of values. */
const FIRST_WORD = 32;

/** None has a character that JSON escapes. */
const TEXTS = KNOWN_WORDS.map((word) => `"${word}"`);
const BYTES = new Map(KNOWN_WORDS.map((word, at) => [word, FIRST_WORD + at]));

/** The byte that stands for a word; undefined when it has to be written out. */
export function byteOfWord(word: string): number | undefined {
  return BYTES.get(word);
}

/** Undefined when no word has the byte. */
export function wordOfByte(byte: number): string | undefined {
  return KNOWN_WORDS[byte - FIRST_WORD];
}

/** The same as JSON. */
export function textOfByte(byte: number): string | undefined {
  return TEXTS[byte - FIRST_WORD];
}
