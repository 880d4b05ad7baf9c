const HERTZ = 660;
const SECONDS = 0.12;
const VOLUME = 0.05;

let context: AudioContext | undefined;

/** A short soft tone, for who asked for sound. A browser that nobody has touched yet stays silent. */
export function playTone(): void {
  context ??= new AudioContext();
  const { currentTime, destination } = context;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = HERTZ;
  volume.gain.setValueAtTime(VOLUME, currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + SECONDS);
  tone.connect(volume).connect(destination);
  tone.start();
  tone.stop(currentTime + SECONDS);
}
