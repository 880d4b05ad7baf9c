import { z } from 'zod';

/** Who reaches a local chain: settings that a venue and a relay have alike. */
export const CHAIN_DOOR_SETTINGS = {
  /** Interface that it listens on, whatever that of its owner is. */
  chainHost: z.string().default('127.0.0.1'),
  /** Where a proxy shows the venue's page, besides the venue's own port: wallets there may ask the chain. */
  pageOrigins: z
    .array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'must be origins like https://venue.example'))
    .default([]),
};
