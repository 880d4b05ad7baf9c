/** The release of this client. The venue and the page of the same release have the same version. */
export const VERSION = '0.4.0';
