using System;
using System.Globalization;
using System.Text;

namespace Sluice
{
    /// <summary>
    /// As much JSON as a host without a JSON library needs: the members of an object, strings read and written. The documents are Sluice's own, or were
    /// checked by it: nothing here looks for mistakes in them.
    /// </summary>
    public static class Json
    {
        /// <summary>The value of a member of an object, as JSON text; null: there is no such member, or <paramref name="from"/> is no object.</summary>
        public static string Member(string from, string name)
        {
            var at = SkipSpace(from, 0);
            if (at == from.Length || from[at] != '{') return null;
            at = SkipSpace(from, at + 1);
            while (at < from.Length && from[at] == '"')
            {
                var keyEnd = ValueEnd(from, at);
                var value = SkipSpace(from, Math.Min(SkipSpace(from, keyEnd) + 1, from.Length));
                var end = ValueEnd(from, value);
                if (keyEnd - at - 2 == name.Length && string.CompareOrdinal(from, at + 1, name, 0, name.Length) == 0) return from.Substring(value, end - value);
                at = SkipSpace(from, end);
                if (at == from.Length || from[at] != ',') return null;
                at = SkipSpace(from, at + 1);
            }
            return null;
        }

        /// <summary>The value of a member that is a string; empty if it is absent or no string.</summary>
        public static string Text(string from, string name)
        {
            var value = Member(from, name);
            return (value == null ? null : Text(value)) ?? "";
        }

        /// <summary>Reads a string, with its quotes; null: it is another value.</summary>
        public static string Text(string value)
        {
            if (value.Length < 2 || value[0] != '"' || value[value.Length - 1] != '"') return null;
            var from = 1;
            var end = value.Length - 1;
            var escape = value.IndexOf('\\');
            if (escape < 0) return value.Substring(from, end - from);
            var text = new StringBuilder(end);
            for (; escape >= 0 && escape < end - 1; escape = value.IndexOf('\\', from))
            {
                text.Append(value, from, escape - from);
                var letter = value[escape + 1];
                from = escape + 2;
                if (letter == 'u' && from + 4 <= end)
                {
                    text.Append((char)int.Parse(value.Substring(from, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
                    from += 4;
                }
                else
                {
                    var control = "bfnrt".IndexOf(letter);
                    text.Append(control < 0 ? letter : "\b\f\n\r\t"[control]);
                }
            }
            return text.Append(value, from, end - from).ToString();
        }

        /// <summary>Writes a string, with its quotes.</summary>
        public static string Quote(string text)
        {
            var quoted = new StringBuilder(text.Length + 2).Append('"');
            foreach (var c in text)
            {
                var control = c < ' ' || c == '"' || c == '\\' ? "\"\\\b\f\n\r\t".IndexOf(c) : -2;
                if (control == -2) quoted.Append(c);
                else if (control >= 0) quoted.Append('\\').Append("\"\\bfnrt"[control]);
                else quoted.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
            }
            return quoted.Append('"').ToString();
        }

        private static int SkipSpace(string text, int at)
        {
            while (at < text.Length && " \n\r\t".IndexOf(text[at]) >= 0) ++at;
            return at;
        }

        /// <summary>Where the value ends that begins at <paramref name="at"/>.</summary>
        private static int ValueEnd(string text, int at)
        {
            var depth = 0;
            for (; at < text.Length; ++at)
            {
                switch (text[at])
                {
                    case '"':
                        for (++at; at < text.Length && text[at] != '"'; ++at)
                            if (text[at] == '\\') ++at;
                        if (depth == 0) return Math.Min(at + 1, text.Length);
                        break;
                    case '{':
                    case '[':
                        ++depth;
                        break;
                    case '}':
                    case ']':
                        if (depth <= 1) return at + depth; // behind the value, or in front of what closes the object around it
                        --depth;
                        break;
                    case ',':
                    case ':':
                    case ' ':
                    case '\n':
                    case '\r':
                    case '\t':
                        if (depth == 0) return at;
                        break;
                }
            }
            return text.Length;
        }
    }
}
