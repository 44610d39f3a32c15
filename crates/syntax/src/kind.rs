//! The kinds of nodes and the names of fields of all five grammars, as two enums.
//!
//! A unit that misspells a kind does not compile, and a comparison is one machine word. A kind that
//! several grammars share (`if_statement`) is one variant. The lists are exactly the grammars': the
//! test below compares them with what the linked grammars say, so that an upgraded grammar cannot
//! bring a kind that nobody has seen.

/// Declares an enum. The first variants come with their names; the grammars spell the others in snake case.
macro_rules! named {
    (
        $(#[$documentation:meta])*
        $enumeration:ident, $rest:ident $empty:literal $(, $special:ident $text:literal)*; $($variant:ident)*
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[non_exhaustive]
        pub enum $enumeration {
            $rest,
            $($special,)*
            $($variant,)*
        }

        impl $enumeration {
            /// Every variant but the one that stands for the rest.
            pub const ALL: &[$enumeration] = &[$($enumeration::$special,)* $($enumeration::$variant,)*];

            /// The grammars' spelling; empty for the variant that stands for the rest.
            pub const fn name(self) -> &'static str {
                match self {
                    $enumeration::$rest => $empty,
                    $($enumeration::$special => $text,)*
                    $($enumeration::$variant => const {
                        const SNAKE: [u8; snake_length(stringify!($variant))] = snake(stringify!($variant));
                        match str::from_utf8(&SNAKE) {
                            Ok(name) => name,
                            Err(_) => panic!("variants are ASCII"),
                        }
                    },)*
                }
            }

            /// Finds the variant of a grammar's spelling.
            pub fn from_name(name: &str) -> Option<$enumeration> {
                $enumeration::ALL.iter().copied().find(|variant| variant.name() == name)
            }
        }
    };
}

/// The length of a name in snake case.
const fn snake_length(camel: &str) -> usize {
    let (mut at, mut length) = (0, camel.len());
    while at < camel.len() {
        length += (at > 0 && camel.as_bytes()[at].is_ascii_uppercase()) as usize;
        at += 1;
    }
    length
}

/// `CallExpression` as `call_expression`.
const fn snake<const LENGTH: usize>(camel: &str) -> [u8; LENGTH] {
    let mut snake = [b'_'; LENGTH];
    let (mut from, mut to) = (0, 0);
    while from < camel.len() {
        let letter = camel.as_bytes()[from];
        to += (from > 0 && letter.is_ascii_uppercase()) as usize;
        snake[to] = letter.to_ascii_lowercase();
        from += 1;
        to += 1;
    }
    snake
}

named! {
    /// What a node is. `Token` stands for every keyword, operator and punctuation mark: such a node is
    /// told apart by its text. `MacroLoop` is the one kind of our own: a C macro that is the head of a loop,
    /// with the call of the macro as first child and the body as last.
    Kind, Token "", Error "ERROR";
    MacroLoop AbstractArrayDeclarator AbstractFunctionDeclarator AbstractParenthesizedDeclarator
    AbstractPointerDeclarator AbstractReferenceDeclarator AccessSpecifier AliasDeclaration AliasedImport
    AlignasQualifier AlignofExpression AnnotatedType Annotation AnnotationArgumentList AnnotationTypeBody
    AnnotationTypeDeclaration AnnotationTypeElementDeclaration ArgumentList Arguments Array ArrayAccess
    ArrayCreationExpression ArrayDeclarator ArrayInitializer ArrayPattern ArrayType ArrowFunction AsPattern
    AsPatternTarget AssertStatement Assignment AssignmentExpression AssignmentPattern Asterisk Attribute
    AttributeDeclaration AttributeSpecifier AttributedDeclarator AttributedStatement AugmentedAssignment
    AugmentedAssignmentExpression Auto Await AwaitExpression BaseClassClause BinaryExpression BinaryIntegerLiteral
    BinaryOperator BitfieldClause Block BlockComment BooleanOperator BooleanType BreakStatement Call CallExpression
    CaseClause CasePattern CaseStatement CastExpression CatchClause CatchFormalParameter CatchType CharLiteral
    Character CharacterLiteral Chevron Class ClassBody ClassDeclaration ClassDefinition ClassHeritage ClassLiteral
    ClassPattern ClassSpecifier ClassStaticBlock CoAwaitExpression CoReturnStatement CoYieldStatement CommaExpression
    Comment CompactConstructorDeclaration ComparisonOperator ComplexPattern CompoundLiteralExpression
    CompoundRequirement CompoundStatement ComputedPropertyName ConcatenatedString ConceptDefinition ConditionClause
    ConditionalExpression ConstantDeclaration ConstrainedType ConstraintConjunction ConstraintDisjunction
    ConstructorBody ConstructorDeclaration ContinueStatement DebuggerStatement DecimalFloatingPointLiteral
    DecimalIntegerLiteral Declaration DeclarationList Decltype DecoratedDefinition Decorator DefaultMethodClause
    DefaultParameter DeleteExpression DeleteMethodClause DeleteStatement DependentName DependentType DestructorName
    DictPattern Dictionary DictionaryComprehension DictionarySplat DictionarySplatPattern Dimensions DimensionsExpr
    DoStatement DottedName ElementValueArrayInitializer ElementValuePair ElifClause Ellipsis ElseClause EmptyStatement
    EnhancedForStatement EnumBody EnumBodyDeclarations EnumConstant EnumDeclaration EnumSpecifier Enumerator
    EnumeratorList EscapeInterpolation EscapeSequence ExceptClause ExecStatement ExplicitConstructorInvocation
    ExplicitFunctionSpecifier ExportClause ExportSpecifier ExportStatement ExportsModuleDirective ExpressionList
    ExpressionStatement ExtendsInterfaces ExtensionExpression False FieldAccess FieldDeclaration FieldDeclarationList
    FieldDefinition FieldDesignator FieldExpression FieldIdentifier FieldInitializer FieldInitializerList
    FinallyClause Float FloatingPointType FoldExpression ForInClause ForInStatement ForRangeLoop ForStatement
    FormalParameter FormalParameters FormatExpression FormatSpecifier FriendDeclaration FunctionDeclaration
    FunctionDeclarator FunctionDefinition FunctionExpression FutureImportStatement GeneratorExpression
    GeneratorFunction GeneratorFunctionDeclaration GenericExpression GenericType GlobalStatement GnuAsmClobberList
    GnuAsmExpression GnuAsmGotoList GnuAsmInputOperand GnuAsmInputOperandList GnuAsmOutputOperand
    GnuAsmOutputOperandList GnuAsmQualifier GotoStatement Guard HashBangLine HexFloatingPointLiteral HexIntegerLiteral
    HtmlCharacterReference HtmlComment Identifier IfClause IfStatement Import ImportAttribute ImportClause
    ImportDeclaration ImportFromStatement ImportPrefix ImportSpecifier ImportStatement InferredParameters
    InitDeclarator InitStatement InitializerList InitializerPair InstanceofExpression Integer IntegralType
    InterfaceBody InterfaceDeclaration Interpolation JsxAttribute JsxClosingElement JsxElement JsxExpression
    JsxNamespaceName JsxOpeningElement JsxSelfClosingElement JsxText KeywordArgument KeywordPattern KeywordSeparator
    LabeledStatement Lambda LambdaCaptureInitializer LambdaCaptureSpecifier LambdaDefaultCapture LambdaExpression
    LambdaParameters LexicalDeclaration LineComment LineContinuation LinkageSpecification List ListComprehension
    ListPattern ListSplat ListSplatPattern LiteralSuffix LocalVariableDeclaration MacroTypeSpecifier MarkerAnnotation
    MatchStatement MemberExpression MemberType MetaProperty MethodDeclaration MethodDefinition MethodInvocation
    MethodReference Modifiers Module ModuleBody ModuleDeclaration MsBasedModifier MsCallModifier MsDeclspecModifier
    MsPointerModifier MsRestrictModifier MsSignedPtrModifier MsUnalignedPtrModifier MsUnsignedPtrModifier
    MultilineStringFragment NamedExpression NamedImports NamespaceAliasDefinition NamespaceDefinition NamespaceExport
    NamespaceIdentifier NamespaceImport NestedNamespaceSpecifier NewDeclarator NewExpression Noexcept None
    NonlocalStatement NotOperator Null NullLiteral Number NumberLiteral Object ObjectAssignmentPattern
    ObjectCreationExpression ObjectPattern OctalIntegerLiteral OffsetofExpression OpensModuleDirective OperatorCast
    OperatorName OptionalChain OptionalParameterDeclaration OptionalTypeParameterDeclaration PackageDeclaration Pair
    PairPattern ParameterDeclaration ParameterList ParameterPackExpansion Parameters ParenthesizedDeclarator
    ParenthesizedExpression ParenthesizedListSplat PassStatement Pattern PatternList Permits PlaceholderTypeSpecifier
    PointerDeclarator PointerExpression PointerTypeDeclarator PositionalSeparator PreprocArg PreprocCall PreprocDef
    PreprocDefined PreprocDirective PreprocElif PreprocElifdef PreprocElse PreprocFunctionDef PreprocIf PreprocIfdef
    PreprocInclude PreprocParams PrimitiveType PrintStatement PrivatePropertyIdentifier Program PropertyIdentifier
    ProvidesModuleDirective PureVirtualClause QualifiedIdentifier RaiseStatement RawStringContent RawStringDelimiter
    RawStringLiteral ReceiverParameter RecordDeclaration RecordPattern RecordPatternBody RecordPatternComponent
    RefQualifier ReferenceDeclarator Regex RegexFlags RegexPattern RelativeImport RequirementSeq RequiresClause
    RequiresExpression RequiresModifier RequiresModuleDirective Resource ResourceSpecification RestPattern
    ReturnStatement ScopedIdentifier ScopedTypeIdentifier SehExceptClause SehFinallyClause SehLeaveStatement
    SehTryStatement SequenceExpression Set SetComprehension ShorthandPropertyIdentifier
    ShorthandPropertyIdentifierPattern SimpleRequirement SizedTypeSpecifier SizeofExpression Slice SplatPattern
    SplatType SpreadElement SpreadParameter StatementBlock StatementIdentifier StaticAssertDeclaration
    StaticInitializer StorageClassSpecifier String StringContent StringEnd StringFragment StringInterpolation
    StringLiteral StringStart StructSpecifier StructuredBindingDeclarator Subscript SubscriptArgumentList
    SubscriptDesignator SubscriptExpression SubscriptRangeDesignator Super SuperInterfaces Superclass SwitchBlock
    SwitchBlockStatementGroup SwitchBody SwitchCase SwitchDefault SwitchExpression SwitchLabel SwitchRule
    SwitchStatement SynchronizedStatement SystemLibString TemplateArgumentList TemplateDeclaration TemplateExpression
    TemplateFunction TemplateInstantiation TemplateMethod TemplateParameterList TemplateString TemplateSubstitution
    TemplateTemplateParameterDeclaration TemplateType TernaryExpression This ThrowSpecifier ThrowStatement Throws
    TrailingReturnType TranslationUnit True TryStatement TryWithResourcesStatement Tuple TuplePattern Type
    TypeAliasStatement TypeArguments TypeBound TypeConversion TypeDefinition TypeDescriptor TypeIdentifier TypeList
    TypeParameter TypeParameterDeclaration TypeParameters TypePattern TypeQualifier TypeRequirement
    TypedDefaultParameter TypedParameter UnaryExpression UnaryOperator Undefined UnderscorePattern UnionPattern
    UnionSpecifier UnionType UpdateExpression UserDefinedLiteral UsesModuleDirective UsingDeclaration
    VariableDeclaration VariableDeclarator VariadicDeclarator VariadicParameter VariadicParameterDeclaration
    VariadicTypeParameterDeclaration VirtualSpecifier VoidType WhileStatement Wildcard WildcardImport WithClause
    WithItem WithStatement Yield YieldExpression YieldStatement
}

named! {
    /// The part that a node plays in its parent; `None` when the grammar gives it no name.
    Field, None "";
    Alias Alternative Argument Arguments Array AssemblyCode Attribute Base Body Captures Cause Clobbers CloseTag Code
    Condition Consequence Constraint Constructor Declaration Declarator Decorator DefaultType DefaultValue Definition
    Delimiter Designator Dimensions Directive Element End Expression Field Filter Finalizer Flags FormatSpecifier
    Function GotoLabels Guard Handler Increment Index Indices Init Initializer InputOperands Interfaces Key Kind Label
    Left Length Member Message Modifiers Module ModuleName Modules Name Object OpenTag Operand Operator Operators
    OptionalChain OutputOperands Package Parameter Parameters Path Pattern Permits Placement Prefix Property Provided
    Provider Register Requirements Resources ReturnType Right Scope Size Source Start Subject Subscript Superclass
    Superclasses Symbol TemplateArgument TemplateParameters TemplateProcessor Type TypeArguments TypeConversion
    TypeParameters UnderlyingType Update Value
}

impl Kind {
    /// Is this an occurrence of a name, of whatever sort?
    pub const fn is_identifier(self) -> bool {
        matches!(
            self,
            Kind::Identifier
                | Kind::TypeIdentifier
                | Kind::FieldIdentifier
                | Kind::NamespaceIdentifier
                | Kind::StatementIdentifier
                | Kind::PropertyIdentifier
                | Kind::PrivatePropertyIdentifier
                | Kind::ShorthandPropertyIdentifier
                | Kind::ShorthandPropertyIdentifierPattern
        )
    }

    /// Is this a directive of the preprocessor, or a part of one?
    pub const fn is_directive(self) -> bool {
        matches!(
            self,
            Kind::PreprocArg
                | Kind::PreprocCall
                | Kind::PreprocDef
                | Kind::PreprocDirective
                | Kind::PreprocElif
                | Kind::PreprocElifdef
                | Kind::PreprocElse
                | Kind::PreprocFunctionDef
                | Kind::PreprocIf
                | Kind::PreprocIfdef
                | Kind::PreprocInclude
        )
    }

    /// Is this a comment?
    pub const fn is_comment(self) -> bool {
        matches!(self, Kind::Comment | Kind::LineComment | Kind::BlockComment | Kind::HtmlComment)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Language;

    #[test]
    fn the_enums_list_exactly_what_the_grammars_have() {
        let mut kinds = BTreeSet::new();
        let mut fields = BTreeSet::new();
        for language in Language::ALL {
            let grammar = language.grammar();
            for id in 0..grammar.node_kind_count() as u16 {
                if grammar.node_kind_is_named(id) && grammar.node_kind_is_visible(id) {
                    kinds.insert(grammar.node_kind_for_id(id).unwrap().to_owned());
                }
            }
            for id in 1..=grammar.field_count() as u16 {
                fields.insert(grammar.field_name_for_id(id).unwrap().to_owned());
            }
        }
        for kind in &kinds {
            assert!(Kind::from_name(kind).is_some(), "kind {kind} is missing");
        }
        for field in &fields {
            assert!(Field::from_name(field).is_some(), "field {field} is missing");
        }
        for kind in Kind::ALL.iter().filter(|kind| !matches!(kind, Kind::Error | Kind::MacroLoop)) {
            assert!(kinds.contains(kind.name()), "no grammar has the kind {kind:?}");
        }
        for field in Field::ALL {
            assert!(fields.contains(field.name()), "no grammar has the field {field:?}");
        }
    }
}
