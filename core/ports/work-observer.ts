/** Is notified of what the service works on, so that a process can say what kept it busy. */
export interface WorkObserver {
  /**
   * Some work begins.
   * @param name  a tool's name or that of a piece of background work; never content, an id or an address
   * @returns to be called once it has ended
   */
  began(name: string): () => void;
}
