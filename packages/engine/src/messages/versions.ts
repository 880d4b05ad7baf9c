/**
 * Of what the engine computes. Raised by a release that would compute anything differently from a log
 * or a state: it then opens a new era (R-era), and the engine before it is kept beside the venue.
 */
export const RULES_VERSION = 3;

/** Of the shape of a dump. Raised with it, also where the rules stay the same. */
export const DUMP_VERSION = 5;

/** Of the shape in which snapshots hold what is past in less room, and the one before it, whose orders were rows. */
export const PACKED_DUMP_VERSION = 7;
export const ROWS_DUMP_VERSION = 6;
