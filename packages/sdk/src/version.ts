/** The release that this client is of; venue and page of the same release say the same. */
export const VERSION = '0.4.0';
