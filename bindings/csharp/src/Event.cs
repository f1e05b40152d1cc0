using System.Globalization;

namespace Sluice
{
    /// <summary>What comes out of a turn: a <see cref="Delta"/>, or an <see cref="Event"/>.</summary>
    public abstract class Piece
    {
        internal Piece() { }
    }

    /// <summary>What a <see cref="Delta"/> is a piece of.</summary>
    public enum DeltaKind
    {
        /// <summary>As <c>text</c>; index: the block.</summary>
        Text = 1,
        /// <summary>As <c>reasoning</c>; index: the block.</summary>
        Reasoning = 2,
        /// <summary>As <c>args</c>: the arguments as the model writes them; index: the call.</summary>
        Args = 3,
        /// <summary>As <c>progress</c>: replaces what the call reported before; index: the call.</summary>
        Progress = 4,
    }

    /// <summary>A piece of text, told without JSON. Text with a mark (<c>refusal</c>, <c>fabricated</c>, <c>phase</c>) is an <see cref="Event"/>.</summary>
    public sealed class Delta : Piece
    {
        internal Delta(DeltaKind kind, uint index, string text)
        {
            Kind = kind;
            Index = index;
            Text = text;
        }

        /// <summary>What it is a piece of.</summary>
        public DeltaKind Kind { get; }

        /// <summary>The block or the call that it belongs to.</summary>
        public uint Index { get; }

        /// <summary>The text itself.</summary>
        public string Text { get; }
    }

    /// <summary>An event: {"type":...,"seq":...} and members by its type. Types and members may be added: ignore what you do not know.</summary>
    public sealed class Event : Piece
    {
        internal Event(string json) => Json = json;

        /// <summary>The whole event, for a JSON library: <c>JsonDocument.Parse(e.Json)</c>.</summary>
        public string Json { get; }

        /// <summary>Its type: <c>text</c>, <c>card</c>, <c>approval</c>.</summary>
        public string Type => Text("type");

        /// <summary>The call that it is about; 0: none.</summary>
        public uint Call => uint.Parse(Member("call") ?? "0", CultureInfo.InvariantCulture);

        /// <summary>The value of a member as JSON text: <c>e.Member("arguments")</c>; null: it has none. <see cref="Sluice.Json"/> goes further down.</summary>
        public string Member(string name) => Sluice.Json.Member(Json, name);

        /// <summary>The value of a member that is a string; empty if it is absent or no string.</summary>
        public string Text(string name) => Sluice.Json.Text(Json, name);

        /// <summary>The whole event.</summary>
        public override string ToString() => Json;
    }
}
