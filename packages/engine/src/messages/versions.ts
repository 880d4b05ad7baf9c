/**
 * The version of the rules that this engine applies. A release raises it when it would compute anything
 * differently from the same log or state: that opens a new era (R-era), and the engine of the era
 * before is kept in `packages/venue/eras/`.
 */
export const RULES_VERSION = 4;

/** The shape of a dump. It changes with the rules version, and may change without it. */
export const DUMP_VERSION = 8;

/** The shape of a dump in snapshots: orders in columns, past data packed. */
export const PACKED_DUMP_VERSION = 9;
