import type { State } from '@oddlot/engine';
import type { AppliedBlock } from '../../../replica/replica.ts';
import type { StreamRecipe } from '../streams.ts';
import type { Timing } from '../timing.ts';
import type { WsLimits } from '../ws-limits.ts';

/** What the channels of the node stream work with. */
export type ChannelContext = {
  readonly state: () => State;
  readonly limits: WsLimits;
  readonly timing: Timing;
};

/** How a stream is opened, or why no stream has these parameters. */
export type Opening =
  | { readonly ok: true; readonly recipe: StreamRecipe }
  | { readonly ok: false; readonly message: string };

/** One channel: a family of streams, fed by blocks. */
export interface NodeChannel<Params> {
  open(params: Params): Opening;
  /** A block was applied; the state already shows it. */
  onBlock(block: AppliedBlock): void;
}
