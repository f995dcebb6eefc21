// What a script finds around it that the browser runs beside the sound; TypeScript's own library has no word of it.

export {};
declare global {
  const sampleRate: number;
  const currentFrame: number;
  class AudioWorkletProcessor {
    readonly port: MessagePort;
    constructor(options?: { processorOptions?: any });
  }
  function registerProcessor(name: string, processor: new (options?: any) => AudioWorkletProcessor): void;
}
