/** How the port handles one call in Hyperliquid's API, with a note for the documentation. */
export type Call = {
  readonly status: 'same' | 'differs';
  readonly note: string;
};

export function same(note: string): Call {
  return { status: 'same', note };
}

export function differs(note: string): Call {
  return { status: 'differs', note };
}
