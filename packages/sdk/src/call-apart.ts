/** Calls what a user gave us. If it throws, that is reported as its own fault, and we go on. */
export function callApart<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
