// What TypeScript cannot know of our pages: which element an id or a selector finds. It may be any of those that
// the templates have, so what one of them can do may be asked of all; what none can do is still a mistake.

export {};
declare global {
  interface PageElement extends HTMLElement {
    action: string;
    alt: string;
    checked: boolean;
    content: string;
    readonly defaultChecked: boolean;
    defaultValue: string;
    disabled: boolean;
    elements: Iterable<PageElement>;
    form: HTMLFormElement;
    href: string;
    max: string;
    min: string;
    name: string;
    open: boolean;
    options: HTMLOptionsCollection;
    readOnly: boolean;
    selectedOptions: HTMLCollectionOf<HTMLOptionElement>;
    src: string;
    type: string;
    value: string;
    requestSubmit(submitter?: HTMLElement | null): void;
    reset(): void;
    select(): void;
    setSelectionRange(start: number, end: number): void;
    showModal(): void;
    close(): void;
    // sound
    currentTime: number;
    readonly duration: number;
    readonly ended: boolean;
    readonly paused: boolean;
    readonly played: TimeRanges;
    readonly seeking: boolean;
    playbackRate: number;
    pause(): void;
    play(): Promise<void>;
  }
  interface ParentNode {
    querySelector(selectors: string): PageElement | null;
    querySelectorAll(selectors: string): NodeListOf<PageElement>;
  }
  interface Document {
    readonly activeElement: PageElement | null;
    getElementById(id: string): PageElement | null;
  }
  interface Window {
    // not every browser has it
    trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(text: string): string } };
  }
  interface Element {
    closest(selectors: string): PageElement | null;
  }
}
