import type { Leg } from '@oddlot/sdk';
import { createStore } from 'zustand/vanilla';

/** The market and outcome for which the list of events opens a ticket. */
type QuickTrade = { readonly eventSlug: string; readonly marketSlug: string; readonly leg: Leg };

export const quickTrade = createStore<{ readonly open: QuickTrade | undefined }>(() => ({
  open: undefined,
}));
