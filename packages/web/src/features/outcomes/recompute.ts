/** Computes a settlement again, in the browser. It hashes, so it is loaded when somebody asks. */
export { checkResolution } from '@oddlot/sdk';
