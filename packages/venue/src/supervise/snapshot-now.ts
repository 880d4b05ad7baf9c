import type { Archivist } from '../history/archivist/archivist.ts';

const HTTP_UNAVAILABLE = 503;

/**
 * `POST /snapshot` of the operations port: writes a snapshot of this moment and says of which block the newest one is, so that
 * the next start has little to replay. Nothing but that file changes.
 */
export async function snapshotNow(
  archivist: Pick<Archivist, 'snapshot'>,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    return { status: 200, body: `${JSON.stringify({ height: await archivist.snapshot() })}\n` };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: HTTP_UNAVAILABLE, body: `${JSON.stringify({ message })}\n` };
  }
}
