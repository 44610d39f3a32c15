import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symtab;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import com.sun.tools.javac.code.Types;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import com.sun.tools.javac.util.Context;
import com.sun.tools.javac.util.Names;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** What the compiler has found out about a text in one round, and what the uses of a name say about its type. */
final class Uses {
    final Types types;
    final Symtab symbols;
    final Names names;
    final JCTree.JCCompilationUnit unit;
    final Declarations declarations;
    private final Map<JCTree, JCTree> parents = new IdentityHashMap<>();
    // Arguments are sometimes tried as copies of their trees; then the tree is found by its place.
    private final Map<String, JCTree> places = new HashMap<>();

    /** What one use of a name asks of its type. */
    static final class Want {
        /** The type that it has to fit into. */
        Type upper;
        /** A type that has to fit into it. */
        Type lower;
        /** There are other types that would do. */
        boolean isGuess;
        /** The result is not used. */
        boolean isUnused;
        /** It has this member. */
        String member;
        boolean isReference;
        boolean isConstant;
        /** It is an array with so many dimensions of what is wanted. */
        int dimensions;

        static Want upper(Type type) {
            Want want = new Want();
            want.upper = isKnown(type) ? type : null;
            return want;
        }

        static Want guess(Type type) {
            Want want = upper(type);
            want.isGuess = true;
            return want;
        }

        static Want lower(Type type) {
            Want want = new Want();
            want.lower = isKnown(type) ? type : null;
            return want;
        }
    }

    Uses(Context context, JCTree.JCCompilationUnit unit, Declarations declarations) {
        this.types = Types.instance(context);
        this.symbols = Symtab.instance(context);
        this.names = Names.instance(context);
        this.unit = unit;
        this.declarations = declarations;
        new TreeScanner() {
            private JCTree parent;

            @Override
            public void scan(JCTree tree) {
                if (tree == null) {
                    return;
                }
                parents.put(tree, parent);
                places.putIfAbsent(place(tree), tree);
                JCTree outer = parent;
                parent = tree;
                tree.accept(this);
                parent = outer;
            }
        }.scan(unit);
    }

    private static String place(JCTree tree) {
        return tree.pos + " " + tree.getTag();
    }

    /** The tree of the text that a tree stands for, which may be a copy; null where it is none of the text's. */
    JCTree known(JCTree tree) {
        return tree == null || parents.containsKey(tree) ? tree : places.get(place(tree));
    }

    JCTree parent(JCTree tree) {
        return parents.get(tree);
    }

    /** The parent, brackets left out. */
    JCTree user(JCTree tree) {
        JCTree parent = parents.get(tree);
        return parent instanceof JCTree.JCParens ? user(parent) : parent;
    }

    <T extends JCTree> T around(JCTree tree, Class<T> kind) {
        for (JCTree outer = parents.get(tree); outer != null; outer = parents.get(outer)) {
            if (kind.isInstance(outer)) {
                return kind.cast(outer);
            }
        }
        return null;
    }

    static boolean isKnown(Type type) {
        return type != null && !type.isErroneous() && type.getTag() != TypeTag.BOT && type.getTag() != TypeTag.NONE
            && type.getTag() != TypeTag.VOID && type.getTag() != TypeTag.METHOD && type.getTag() != TypeTag.DEFERRED
            && type.getTag() != TypeTag.PACKAGE && type.getTag() != TypeTag.UNKNOWN;
    }

    Declarations.Declared declared(Type type) {
        if (type == null || type.tsym == null || type.isErroneous()) {
            return null;
        }
        if (type.getTag() == TypeTag.TYPEVAR) {
            return declared(type.getUpperBound());
        }
        if (type.getTag() == TypeTag.CLASS && type.tsym.name.isEmpty()) {
            com.sun.tools.javac.util.List<Type> interfaces = types.interfaces(type);
            return declared(interfaces.nonEmpty() ? interfaces.head : types.supertype(type));
        }
        return type.getTag() == TypeTag.CLASS ? declarations.find(type.tsym.getQualifiedName().toString()) : null;
    }

    /** Is it declared in the text itself? */
    boolean isOwn(Type type) {
        if (type == null || type.getTag() != TypeTag.CLASS || type.tsym == null || type.isErroneous()) {
            return false;
        }
        Symbol.ClassSymbol outermost = type.tsym.outermostClass();
        for (JCTree tree : unit.defs) {
            if (tree instanceof JCTree.JCClassDecl && ((JCTree.JCClassDecl) tree).sym == outermost) {
                return true;
            }
        }
        return false;
    }

    /** The declared field or method that an expression is about. */
    Declarations.Member member(JCTree tree) {
        JCTree bare = TreeInfo.skipParens(tree);
        if (bare instanceof JCTree.JCMethodInvocation) {
            return member(TreeInfo.symbol(((JCTree.JCMethodInvocation) bare).meth));
        }
        if (bare instanceof JCTree.JCAssign) {
            return member(((JCTree.JCAssign) bare).lhs);
        }
        if (bare instanceof JCTree.JCNewClass) {
            return member(((JCTree.JCNewClass) bare).constructor);
        }
        return bare instanceof JCTree.JCIdent || bare instanceof JCTree.JCFieldAccess ? member(TreeInfo.symbol(bare)) : null;
    }

    Declarations.Member member(Symbol symbol) {
        if (symbol == null || !(symbol.owner instanceof Symbol.ClassSymbol)) {
            return null;
        }
        Declarations.Declared owner = declarations.find(symbol.owner.getQualifiedName().toString());
        if (owner == null) {
            return null;
        }
        if (symbol instanceof Symbol.MethodSymbol && symbol.type != null && symbol.type.getParameterTypes() != null) {
            return owner.method(symbol.name.toString(), symbol.type.getParameterTypes().size());
        }
        return symbol instanceof Symbol.VarSymbol ? owner.field(symbol.name.toString()) : null;
    }

    /** A type as it is written anywhere, or null where it cannot be. */
    String text(Type type) {
        if (!isKnown(type)) {
            return null;
        }
        switch (type.getTag()) {
            case ARRAY: {
                String element = text(types.elemtype(type));
                return element == null ? null : element + "[]";
            }
            case TYPEVAR:
                return null;
            case CLASS: {
                if (type.isIntersection()) {
                    return text(types.directSupertypes(type).head);
                }
                boolean isLocal = type.tsym.name.isEmpty() || type.tsym.owner.kind != com.sun.tools.javac.code.Kinds.Kind.TYP
                    && type.tsym.owner.kind != com.sun.tools.javac.code.Kinds.Kind.PCK;
                if (isLocal) {
                    com.sun.tools.javac.util.List<Type> interfaces = types.interfaces(type);
                    return text(interfaces.nonEmpty() ? interfaces.head : types.supertype(type));
                }
                StringBuilder whole = new StringBuilder(type.tsym.getQualifiedName().toString());
                List<String> arguments = new ArrayList<>();
                for (Type argument : type.getTypeArguments()) {
                    String one = argument(argument);
                    if (one == null) {
                        return whole.toString();
                    }
                    arguments.add(one);
                }
                return arguments.isEmpty() ? whole.toString() : whole + "<" + String.join(", ", arguments) + ">";
            }
            default:
                return type.isPrimitive() ? type.tsym.name.toString() : null;
        }
    }

    private String argument(Type argument) {
        if (argument.getTag() != TypeTag.WILDCARD) {
            return argument.getTag() == TypeTag.TYPEVAR ? null : text(argument);
        }
        Type.WildcardType wildcard = (Type.WildcardType) argument;
        if (wildcard.isUnbound()) {
            return "?";
        }
        String bound = text(wildcard.type);
        return bound == null ? null : (wildcard.isExtendsBound() ? "? extends " : "? super ") + bound;
    }

    boolean hasMember(Type type, String name) {
        if (type.getTag() == TypeTag.ARRAY) {
            return name.equals("length") || name.equals("clone") || hasMember(symbols.objectType, name);
        }
        if (type.getTag() != TypeTag.CLASS) {
            return false;
        }
        for (Type one : types.closure(type)) {
            if (one.tsym.members().findFirst(names.fromString(name)) != null) {
                return true;
            }
        }
        return symbols.objectType.tsym.members().findFirst(names.fromString(name)) != null;
    }

    /** Is this a place where only a type can stand? */
    boolean isTypePlace(JCTree tree) {
        JCTree parent = parent(tree);
        if (parent instanceof JCTree.JCVariableDecl) {
            return ((JCTree.JCVariableDecl) parent).vartype == tree;
        }
        if (parent instanceof JCTree.JCNewClass) {
            return ((JCTree.JCNewClass) parent).clazz == tree;
        }
        if (parent instanceof JCTree.JCTypeCast) {
            return ((JCTree.JCTypeCast) parent).clazz == tree;
        }
        if (parent instanceof JCTree.JCInstanceOf) {
            return ((JCTree.JCInstanceOf) parent).pattern == tree;
        }
        if (parent instanceof JCTree.JCMethodDecl) {
            return ((JCTree.JCMethodDecl) parent).defaultValue != tree;
        }
        if (parent instanceof JCTree.JCNewArray) {
            return ((JCTree.JCNewArray) parent).elemtype == tree;
        }
        if (parent instanceof JCTree.JCAnnotation) {
            return ((JCTree.JCAnnotation) parent).annotationType == tree;
        }
        if (parent instanceof JCTree.JCFieldAccess) {
            String name = ((JCTree.JCFieldAccess) parent).name.toString();
            return name.equals("class") || name.equals("this") || name.equals("super") || isTypePlace(parent);
        }
        if (parent instanceof JCTree.JCMethodInvocation) {
            return ((JCTree.JCMethodInvocation) parent).typeargs.contains(tree);
        }
        return parent instanceof JCTree.JCTypeApply || parent instanceof JCTree.JCArrayTypeTree
            || parent instanceof JCTree.JCClassDecl || parent instanceof JCTree.JCTypeUnion
            || parent instanceof JCTree.JCWildcard || parent instanceof JCTree.JCTypeParameter
            || parent instanceof JCTree.JCTypeIntersection || parent instanceof JCTree.JCMemberReference;
    }

    /** What the place of an expression asks of its type. */
    Want want(JCTree tree) {
        JCTree parent = parent(tree);
        if (parent == null) {
            return new Want();
        }
        if (parent instanceof JCTree.JCParens) {
            return want(parent);
        }
        if (parent instanceof JCTree.JCExpressionStatement) {
            Want want = new Want();
            want.isUnused = true;
            return want;
        }
        if (parent instanceof JCTree.JCVariableDecl) {
            JCTree.JCVariableDecl variable = (JCTree.JCVariableDecl) parent;
            return Want.upper(variable.vartype == null ? null : variable.vartype.type);
        }
        if (parent instanceof JCTree.JCAssign) {
            JCTree.JCAssign assign = (JCTree.JCAssign) parent;
            return assign.rhs == tree ? Want.upper(typeOf(assign.lhs)) : Want.lower(typeOf(assign.rhs));
        }
        if (parent instanceof JCTree.JCAssignOp) {
            JCTree.JCAssignOp assign = (JCTree.JCAssignOp) parent;
            Type other = typeOf(assign.rhs == tree ? assign.lhs : assign.rhs);
            boolean isText = isKnown(other) && types.isSameType(other, symbols.stringType);
            return isText || !isKnown(other) || !other.isPrimitive() ? Want.guess(isText ? symbols.stringType : symbols.intType)
                : Want.guess(other);
        }
        if (parent instanceof JCTree.JCUnary) {
            return parent.getTag() == JCTree.Tag.NOT ? Want.upper(symbols.booleanType) : Want.guess(symbols.intType);
        }
        if (parent instanceof JCTree.JCBinary) {
            return wantOfOperand((JCTree.JCBinary) parent, tree);
        }
        if (parent instanceof JCTree.JCConditional) {
            JCTree.JCConditional choice = (JCTree.JCConditional) parent;
            if (choice.cond == tree) {
                return Want.upper(symbols.booleanType);
            }
            Want outer = want(parent);
            Type other = typeOf(choice.truepart == tree ? choice.falsepart : choice.truepart);
            return outer.upper == null && outer.lower == null && isKnown(other) ? Want.guess(other) : outer;
        }
        if (parent instanceof JCTree.JCIf || parent instanceof JCTree.JCWhileLoop || parent instanceof JCTree.JCDoWhileLoop
            || parent instanceof JCTree.JCForLoop) {
            return Want.upper(symbols.booleanType);
        }
        if (parent instanceof JCTree.JCAssert) {
            return ((JCTree.JCAssert) parent).cond == tree ? Want.upper(symbols.booleanType) : Want.guess(symbols.stringType);
        }
        if (parent instanceof JCTree.JCReturn) {
            JCTree.JCLambda lambda = around(parent, JCTree.JCLambda.class);
            JCTree.JCMethodDecl method = around(parent, JCTree.JCMethodDecl.class);
            boolean isLambda = lambda != null && around(lambda, JCTree.JCMethodDecl.class) == method;
            return Want.upper(isLambda || method == null || method.restype == null ? null : method.restype.type);
        }
        if (parent instanceof JCTree.JCThrow) {
            return Want.upper(symbols.runtimeExceptionType);
        }
        if (parent instanceof JCTree.JCSwitch) {
            return wantOfSelector((JCTree.JCSwitch) parent);
        }
        if (parent instanceof JCTree.JCCase || parent.getKind().name().equals("CONSTANT_CASE_LABEL")) {
            JCTree.JCSwitch around = around(tree, JCTree.JCSwitch.class);
            Type selector = around == null ? null : typeOf(TreeInfo.skipParens(around.selector));
            Want want = Want.guess(isKnown(selector) && types.isSameType(selector, symbols.stringType)
                ? symbols.stringType : symbols.intType);
            want.isConstant = true;
            return want;
        }
        if (parent instanceof JCTree.JCArrayAccess) {
            if (((JCTree.JCArrayAccess) parent).index == tree) {
                return Want.upper(symbols.intType);
            }
            Want want = want(parent);
            want.dimensions++;
            return want;
        }
        if (parent instanceof JCTree.JCNewArray) {
            JCTree.JCNewArray array = (JCTree.JCNewArray) parent;
            if (array.dims.contains(tree)) {
                return Want.upper(symbols.intType);
            }
            if (array.elemtype != null) {
                return Want.upper(array.elemtype.type);
            }
            Want outer = want(parent);
            boolean isArray = outer.upper != null && outer.upper.getTag() == TypeTag.ARRAY;
            return Want.upper(isArray ? types.elemtype(outer.upper) : null);
        }
        if (parent instanceof JCTree.JCEnhancedForLoop) {
            JCTree.JCVariableDecl variable = ((JCTree.JCEnhancedForLoop) parent).var;
            Want want = Want.upper(variable.vartype == null ? null : variable.vartype.type);
            want.dimensions++;
            return want;
        }
        if (parent instanceof JCTree.JCSynchronized) {
            return reference();
        }
        if (parent instanceof JCTree.JCTypeCast) {
            Type target = ((JCTree.JCTypeCast) parent).clazz.type;
            return Want.guess(isKnown(target) && target.isPrimitive() ? target : symbols.objectType);
        }
        if (parent instanceof JCTree.JCInstanceOf) {
            return Want.guess(symbols.objectType);
        }
        if (parent instanceof JCTree.JCFieldAccess) {
            Want want = new Want();
            JCTree.JCFieldAccess access = (JCTree.JCFieldAccess) parent;
            if (access.name.toString().equals("length") && !isCalled(access)) {
                want.dimensions = 1;
                want.isGuess = true;
            } else {
                want.member = access.name.toString();
            }
            return want;
        }
        if (parent instanceof JCTree.JCMethodInvocation) {
            JCTree.JCMethodInvocation call = (JCTree.JCMethodInvocation) parent;
            return wantOfArgument(call.args, call.args.indexOf(tree), candidates(call));
        }
        if (parent instanceof JCTree.JCNewClass) {
            JCTree.JCNewClass call = (JCTree.JCNewClass) parent;
            return wantOfArgument(call.args, call.args.indexOf(tree), constructors(call));
        }
        return new Want();
    }

    boolean isCalled(JCTree tree) {
        JCTree parent = parent(tree);
        return parent instanceof JCTree.JCMethodInvocation && ((JCTree.JCMethodInvocation) parent).meth == tree;
    }

    private static Want reference() {
        Want want = new Want();
        want.isReference = true;
        return want;
    }

    Type typeOf(JCTree tree) {
        if (tree == null) {
            return null;
        }
        Type type = TreeInfo.skipParens(tree).type;
        return type != null && type.constValue() != null ? type.baseType() : type;
    }

    private Want wantOfOperand(JCTree.JCBinary binary, JCTree tree) {
        Type other = typeOf(binary.lhs == tree ? binary.rhs : binary.lhs);
        boolean isNull = other != null && other.getTag() == TypeTag.BOT;
        switch (binary.getTag()) {
            case AND: case OR:
                return Want.upper(symbols.booleanType);
            case EQ: case NE:
                if (isNull) {
                    return reference();
                }
                if (!isKnown(other)) {
                    return new Want();
                }
                return Want.guess(!other.isPrimitive() || other.getTag() == TypeTag.BOOLEAN ? other : symbols.intType);
            case PLUS:
                if (isNull) {
                    return Want.guess(symbols.stringType);
                }
                if (isKnown(other)) {
                    return Want.guess(other.isPrimitive() ? symbols.intType : symbols.stringType);
                }
                Want outer = want(binary);
                boolean isText = outer.upper != null && types.isAssignable(symbols.stringType, outer.upper);
                return Want.guess(isText ? symbols.stringType : symbols.intType);
            case BITAND: case BITOR: case BITXOR:
                return Want.guess(isKnown(other) && other.getTag() == TypeTag.BOOLEAN ? other : symbols.intType);
            default:
                return Want.guess(symbols.intType);
        }
    }

    private Want wantOfSelector(JCTree.JCSwitch tree) {
        for (JCTree.JCCase one : tree.cases) {
            for (ExpressionTree label : ((CaseTree) one).getExpressions()) {
                Type type = typeOf((JCTree) label);
                if (isKnown(type) && types.isSameType(type, symbols.stringType)) {
                    return Want.upper(symbols.stringType);
                }
                if (label.getKind() == Tree.Kind.CHAR_LITERAL) {
                    return Want.upper(symbols.charType);
                }
            }
        }
        return Want.upper(symbols.intType);
    }

    /** What the methods that may be meant want of an argument. */
    private Want wantOfArgument(List<? extends JCTree> arguments, int index, List<Type> candidates) {
        if (index < 0) {
            return new Want();
        }
        List<Type> wanted = new ArrayList<>();
        for (Type candidate : candidates) {
            List<Type> parameters = parameters(candidate, arguments.size());
            if (parameters == null) {
                continue;
            }
            boolean fits = true;
            for (int other = 0; other < arguments.size(); other++) {
                Type type = typeOf(arguments.get(other));
                fits &= other == index || !isKnown(type) || declared(type) != null
                    || types.isAssignable(type, parameters.get(other));
            }
            Type parameter = parameters.get(index);
            if (fits && wanted.stream().noneMatch(one -> types.isSameType(one, parameter))) {
                wanted.add(parameter);
            }
        }
        if (wanted.size() == 1) {
            Type only = wanted.get(0);
            boolean isAny = types.isSameType(only, symbols.objectType);
            return only.getTag() == TypeTag.TYPEVAR ? reference() : isAny ? Want.guess(only) : Want.upper(only);
        }
        for (Type favourite : List.of(symbols.stringType, symbols.objectType, symbols.intType)) {
            for (Type one : wanted) {
                if (types.isSameType(one, favourite)) {
                    return Want.guess(types.isSameType(one, symbols.objectType) ? symbols.stringType : one);
                }
            }
        }
        return wanted.isEmpty() ? new Want() : Want.guess(wanted.get(0));
    }

    /** The types of so many parameters, those that may be repeated included; null where the number does not fit. */
    List<Type> parameters(Type method, int count) {
        List<Type> parameters = new ArrayList<>(method.getParameterTypes());
        int last = parameters.size() - 1;
        if (last >= 0 && count >= last && parameters.get(last).getTag() == TypeTag.ARRAY && variadic.containsKey(method)) {
            Type element = types.elemtype(parameters.remove(last));
            while (parameters.size() < count) {
                parameters.add(element);
            }
            return parameters;
        }
        return parameters.size() == count ? parameters : null;
    }

    private final Map<Type, Boolean> variadic = new IdentityHashMap<>();

    /** The methods that a call may mean, as seen from what they are called on; none that were declared for the text. */
    List<Type> candidates(JCTree.JCMethodInvocation call) {
        JCTree method = TreeInfo.skipParens(call.meth);
        if (method instanceof JCTree.JCFieldAccess) {
            JCTree.JCFieldAccess access = (JCTree.JCFieldAccess) method;
            return methods(typeOf(access.selected), access.name.toString());
        }
        if (method instanceof JCTree.JCIdent) {
            String name = ((JCTree.JCIdent) method).name.toString();
            for (JCTree.JCClassDecl type = around(call, JCTree.JCClassDecl.class); type != null;
                type = around(type, JCTree.JCClassDecl.class)) {
                List<Type> found = type.sym == null ? List.of() : methods(type.sym.type, name);
                if (!found.isEmpty()) {
                    return found;
                }
            }
        }
        return List.of();
    }

    List<Type> constructors(JCTree.JCNewClass call) {
        return methods(typeOf(call.clazz), "<init>");
    }

    private List<Type> methods(Type site, String name) {
        List<Type> found = new ArrayList<>();
        if (!isKnown(site) || site.getTag() == TypeTag.ARRAY || site.isPrimitive()) {
            return found;
        }
        Type bound = site.getTag() == TypeTag.TYPEVAR ? site.getUpperBound() : site;
        boolean isConstructor = name.equals("<init>");
        List<Type> sites = new ArrayList<>(isConstructor ? List.of(bound) : types.closure(bound));
        if (!isConstructor && bound.tsym.isInterface()) {
            sites.add(symbols.objectType);
        }
        for (Type one : sites) {
            if (declared(one) != null) {
                continue;
            }
            for (Symbol symbol : one.tsym.members().getSymbolsByName(names.fromString(name))) {
                boolean isSeen = (symbol.flags() & (Flags.PUBLIC | Flags.PROTECTED)) != 0 || isOwn(one);
                if (symbol instanceof Symbol.MethodSymbol && isSeen && (symbol.flags() & Flags.SYNTHETIC) == 0) {
                    Type seen = types.memberType(bound, symbol);
                    seen = seen.getTag() == TypeTag.FORALL ? types.erasure(seen) : seen;
                    found.add(seen);
                    if (((Symbol.MethodSymbol) symbol).isVarArgs()) {
                        variadic.put(seen, true);
                    }
                }
            }
        }
        return found;
    }
}
