export { inDirectory } from './in-directory.ts';
export { listen } from './listen.ts';
export { freePorts } from './free-ports.ts';
export { testTimeoutMs } from './test-timeout-ms.ts';
