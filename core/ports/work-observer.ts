/** Is notified of the service's work, so that a process can report what kept it busy. */
export interface WorkObserver {
  /**
   * Work starts.
   * @param name  name of a tool or of background work; never content, an id or an address
   * @returns a function to call when the work ends
   */
  began(name: string): () => void;
}
